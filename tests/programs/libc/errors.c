// check: safe
// err and errx end the process; warn does not.
#include <assert.h>
#include <err.h>
#include <error.h>
#include <errno.h>
#include <stdio.h>

int main(void) {
    warn("to be %s", "continued");
    warnx("%d", 1);
    perror("main");
    error(0, ENOENT, "not yet");
    errx(1, "here");
    assert(0);
}

// check: safe
// args: --env MODE=fast --env EMPTY=
// headline auto explicit lazy tree: safe
// The environment is what was said, in getenv, environ and the third parameter of main.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv, char **envp) {
    assert(strcmp(getenv("MODE"), "fast") == 0);
    assert(getenv("EMPTY")[0] == 0);
    assert(!getenv("MOD") && !getenv("MODES"));
    assert(strcmp(envp[0], "MODE=fast") == 0 && !envp[2]);
    assert(environ[1][0] == 'E');
    return 0;
}

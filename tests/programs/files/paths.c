// check: safe
// Paths of the environment, and names that are made.
// args: --longest-input 3
#include <assert.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char where[8], name[] = "/tmp/xXXXXXX", bad[] = "/tmp/x";
    if (getcwd(where, sizeof where))
        assert(where[0] == '/' && strlen(where) < sizeof where);
    char *path = realpath("data", NULL);
    if (path)
        assert(path[0] == '/');
    free(path);
    assert(mkstemp(bad) == -1 && errno == EINVAL);
    int file = mkstemp(name);
    if (file >= 0)
        assert(name[5] == 'x' && name[6] != 'X' && close(file) == 0);
    char below[] = "a//b/", top[] = "/b", alone[] = "b";
    assert(strcmp(dirname(below), "a") == 0 && strcmp(dirname(top), "/") == 0 && strcmp(dirname(alone), ".") == 0);
    FILE *temporary = tmpfile();
    if (temporary)
        fclose(temporary);
    return 0;
}

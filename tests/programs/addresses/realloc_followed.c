// check: safe
// headline explicit lazy tree: safe
// The usual way to keep a second pointer right.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8), *end = p + 2;
    p[2] = 7;
    long at = end - p;
    char *new = realloc(p, 16);
    if (new != p)
        end = new + at;
    else
        end = new + at;
    assert(*end == 7);
    free(new);
    return 0;
}

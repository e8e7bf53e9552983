// check: safe
// headline explicit lazy tree: safe
// Two blocks that are there at the same time lie apart, also if one lies where a third one did.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *a = malloc(8);
    free(a);
    char *p = malloc(8), *q = malloc(8);
    assert(p != q);
    free(p);
    free(q);
    return 0;
}

// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at realloc_may_move.c:10)
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    char *old = p;
    p = realloc(p, 16);
    assert(p == old); //~ violation
    free(p);
    return 0;
}

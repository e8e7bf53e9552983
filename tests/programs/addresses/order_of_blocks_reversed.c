// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at order_of_blocks_reversed.c:10)
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8), *q = malloc(8);
    if (p && q)
        assert((uintptr_t)p > (uintptr_t)q); //~ violation
    free(p);
    free(q);
    return 0;
}

// check: unsafe assertion
// Only the bits of the alignment are promised: a block may begin anywhere in a page.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8);
    assert(((uintptr_t)p & 0xff) == 0); //~ violation
    free(p);
    return 0;
}

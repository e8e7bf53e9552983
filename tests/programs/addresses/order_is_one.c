// check: safe
// headline explicit lazy tree: safe
// One of two objects comes first, and stays there.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *p = malloc(8), *q = malloc(8);
    assert(((uintptr_t)p < (uintptr_t)q) != ((uintptr_t)q < (uintptr_t)p));
    int first = (uintptr_t)p < (uintptr_t)q;
    assert(first == ((uintptr_t)p < (uintptr_t)q));
    free(p);
    free(q);
    return 0;
}

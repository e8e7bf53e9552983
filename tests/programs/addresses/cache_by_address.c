// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at cache_by_address.c:27)
// The cache is not told of blocks that are freed.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

static uintptr_t key;
static int cached;

static int lookup(int *p) {
    if (key == (uintptr_t)p)
        return cached;
    key = (uintptr_t)p;
    cached = *p;
    return cached;
}

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 1;
    lookup(p);
    free(p);
    int *q = malloc(sizeof *q);
    *q = 2;
    int found = lookup(q);
    assert(found == 2); //~ violation
    free(q);
    return 0;
}

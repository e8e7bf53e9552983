// check: unsafe assertion
// check -DDIFFERENT: unsafe assertion
// Two pointers may have the same hash, and may have different ones.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

static unsigned hash(void *p) { return (unsigned)((uintptr_t)p >> 4) % 8; }

int main(void) {
    char *p = malloc(8), *q = malloc(8);
#ifdef DIFFERENT
    assert(hash(p) != hash(q)); //~ violation
#else
    assert(hash(p) == hash(q)); //~ violation
#endif
    free(p);
    free(q);
    return 0;
}

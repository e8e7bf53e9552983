// check: unknown
// args: --strict
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

static unsigned hash(void *p) { return (unsigned)((uintptr_t)p >> 4) % 8; }

int main(void) {
    char *p = malloc(8), *q = malloc(8);
    assert(hash(p) == hash(q));
    free(p);
    free(q);
    return 0;
}

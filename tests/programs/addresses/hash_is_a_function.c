// check: safe
// The number of an address is the same each time, wherever the object lies, and what is computed from it fits together.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

static unsigned buckets[8];

static unsigned hash(void *p) { return ((uintptr_t)p >> 4) % 8; }

int main(void) {
    char *p = malloc(8), *q = malloc(8);
    uintptr_t number = (uintptr_t)p;
    assert(number % 64 != 0 || number / 64 * 64 == number);
    assert(number - number % 64 <= number);
    assert(number % 16 == 0);
    assert(hash(p) == hash(p));
    buckets[hash(p)]++;
    buckets[hash(q)]++;
    assert(buckets[hash(p)] == (hash(p) == hash(q) ? 2 : 1));
    free(p);
    free(q);
    return 0;
}

// check: unsafe assertion
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    union { void *p; uintptr_t number; } u = { malloc(1) };
    if (!u.p) return 0;
    assert((u.number >> 4) % 4 != 3); //~ violation
    free(u.p);
    return 0;
}

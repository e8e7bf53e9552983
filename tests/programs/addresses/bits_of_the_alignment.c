// check: safe
// args: --strict
// What malloc and the type promise (C11 6.2.8, 7.22.3p1) is no assumption; tags in those bits come off again.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    int x = 1;
    char *p = malloc(8);
    assert(((uintptr_t)p & 15) == 0);
    assert(((uintptr_t)&x & 3) == 0);
    uintptr_t tagged = (uintptr_t)&x | 1;
    assert(*(int *)(tagged & ~(uintptr_t)3) == 1);
    free(p);
    return 0;
}

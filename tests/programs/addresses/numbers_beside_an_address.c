// check: safe
#include <assert.h>
#include <stdint.h>

struct key { uintptr_t kind; uintptr_t number; };
static int x;

int main(void) {
    struct key one = { 1, (uintptr_t)&x }, two = { 0, 0 };
    two = one;
    assert((two.number & 3) == 0);
    assert((two.kind & 0xff) == 1);
    return 0;
}

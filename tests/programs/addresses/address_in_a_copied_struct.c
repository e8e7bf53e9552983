// check: unsafe assertion
#include <assert.h>
#include <stdint.h>

struct key { int kind; uintptr_t number; };
static int x;

int main(void) {
    struct key one = { 1, (uintptr_t)&x }, two = { 0, 0 };
    two = one;
    assert((two.number & 0xff) == 0); //~ violation
    return 0;
}

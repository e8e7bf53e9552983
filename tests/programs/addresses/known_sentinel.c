// A small number is nobody's address, and says nothing of how objects lie.
// check: safe
// headline: safe
#include <assert.h>
#include <stdint.h>

static int x;

int main(void) {
    int *volatile p = &x;
    assert((uintptr_t)p != 1);
    return 0;
}

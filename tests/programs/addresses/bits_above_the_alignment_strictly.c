// check: unknown
// args: --strict
#include <assert.h>
#include <stdint.h>

int main(void) {
    int x;
    assert(((uintptr_t)&x & 15) == 0);
    return 0;
}

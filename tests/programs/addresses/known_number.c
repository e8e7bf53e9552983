// The number of an address is compared with one that could be an address: the verdict names the layout that it saw.
// check: safe
// assumption: where the program looks at the numbers of addresses, objects lie in one of four orders, each far from all others
#include <assert.h>
#include <stdint.h>

static int x;

int main(void) {
    assert((uintptr_t)&x > 0x10000);
    return 0;
}

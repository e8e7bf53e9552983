// The number of an address is compared with one that could be an address: the verdict names the layout that it saw.
// check: safe
// assumption: where the program looks at the numbers of addresses, objects lie far apart, in one of four orders, and two of them in one of eight places each
#include <assert.h>
#include <stdint.h>

static int x;

int main(void) {
    assert((uintptr_t)&x > 0x10000);
    return 0;
}

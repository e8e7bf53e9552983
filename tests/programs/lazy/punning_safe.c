// check: safe
// args: --engine lazy
#include <assert.h>

unsigned input(void);

int main(void) {
    unsigned x = input(), back = 0;
    unsigned char *bytes = (unsigned char *)&x;
    for (int i = 3; i >= 0; i--)
        back = back << 8 | bytes[i];
    assert(back == x);
    return 0;
}

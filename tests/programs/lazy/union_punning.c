// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

unsigned input(void);

union word {
    unsigned whole;
    unsigned short half[2];
    unsigned char byte[4];
};

int main(void) {
    union word w;
    w.whole = input();
    w.half[1] ^= 0xffff;
    assert(w.byte[0] != 0x34 || w.byte[3] != 0xa5); //~ violation
    return 0;
}

// check: safe
#include <assert.h>

union word {
    unsigned whole;
    unsigned char bytes[4];
    struct { unsigned short low, high; };
    float real;
};

int main(void) {
    union word w = {.whole = 0x04030201};
    assert(w.bytes[0] == 1 && w.bytes[3] == 4);
    assert(w.low == 0x0201 && w.high == 0x0403);
    w.bytes[1] = 0xff;
    assert(w.whole == 0x0403ff01);
    w.real = 1.0f;
    assert(w.whole == 0x3f800000);
    return 0;
}

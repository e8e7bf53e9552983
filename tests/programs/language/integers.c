// check: safe
// Conversions, signs and widths.
#include <assert.h>
#include <limits.h>

enum colour { RED = -1, GREEN, BLUE = 5 };

int main(void) {
    signed char c = (signed char)200;
    assert(c == -56 && (unsigned char)c == 200);
    assert(-1 > 1u && (short)0x18000 == SHRT_MIN);
    assert(-7 / 2 == -3 && -7 % 2 == -1 && (-7 >> 1) == -4);
    assert((1ull << 40) >> 38 == 4 && ~0u >> 31 == 1);
    assert(GREEN == 0 && BLUE == 5 && sizeof(enum colour) == 4);
    _Bool b = 256;
    assert(b == 1 && !b == 0);
    unsigned x = 0xdeadbeef;
    assert(__builtin_popcount(x) == 24 && __builtin_clz(1u) == 31 && __builtin_bswap32(x) == 0xefbeadde);
    return 0;
}

// check: safe
#include <assert.h>

int main(void) {
    unsigned __int128 x = (unsigned __int128)1 << 100;
    x += 5;
    assert((unsigned long long)x == 5 && (unsigned long long)(x >> 64) == 1ull << 36);
    __int128 y = -7;
    assert(y * 3 == -21 && y / 2 == -3 && (y >> 1) == -4);
    __int128 big = (__int128)0x7fffffffffffffff * 0x7fffffffffffffff;
    assert(big / 0x7fffffffffffffff == 0x7fffffffffffffff);
    return 0;
}

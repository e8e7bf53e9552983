// check: safe
#include <assert.h>

signed char s = -1;
unsigned char u = 255;
signed char smallest = -128;

int main(void) {
    assert(s != u);
    assert(s < u);
    assert((unsigned char)s == u);
    assert((signed char)u == s);
    assert(s < 0 && u > 0);
    assert((unsigned)s > 1000u);
    assert(u + 1 == 256);
    assert((unsigned char)(u + 1) == 0);
    assert(-smallest == 128 && (signed char)-smallest == -128);
    assert(s >> 1 == -1 && u >> 1 == 127);
    return 0;
}

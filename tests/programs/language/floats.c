// check: safe
#include <assert.h>
#include <math.h>

int main(void) {
    volatile double zero = 0.0;
    double x = 0.1 + 0.2;
    assert(x != 0.3 && x > 0.3 && x - 0.3 < 1e-15);
    float f = 16777216.0f;
    assert(f + 1.0f == f);
    assert((int)-2.9 == -2 && (unsigned char)200.7 == 200);
    assert((double)(1ull << 63) == 9223372036854775808.0);
    double inf = 1.0 / zero;
    assert(inf > 1e308 && -inf < 0 && inf - inf != inf - inf);
    assert(fabs(-2.5) == 2.5 && floor(-1.5) == -2.0 && ceil(1.25) == 2.0);
    return 0;
}

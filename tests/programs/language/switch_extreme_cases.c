// The greatest and the least number are cases like others.
// check: safe
// headline explicit lazy tree: safe
#include <assert.h>

unsigned long __VERIFIER_nondet_ulong(void);
long __VERIFIER_nondet_long(void);
unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned long number = __VERIFIER_nondet_ulong();
    switch (number) {
    case ~0ul:
        assert(number + 1 == 0);
        break;
    case 0:
        assert(!number);
        break;
    case ~0ul / 2 + 1:
        assert((long)number < 0);
        break;
    default:
        assert(number && number + 1);
    }
    long other = __VERIFIER_nondet_long();
    switch (other) {
    case -1:
        assert(other + 1 == 0);
        break;
    case (long)(~0ul / 2):
        assert(other > 0);
        break;
    default:
        assert(other != -1);
    }
    unsigned char small = __VERIFIER_nondet_uchar();
    switch (small) {
    case 255:
        assert(small > 254);
        break;
    default:
        assert(small < 255);
    }
    return 0;
}

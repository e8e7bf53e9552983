// check: unsafe assertion
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(x < 6 && y < 6);
    assert(x * y != 20); //~ violation
    return 0;
}

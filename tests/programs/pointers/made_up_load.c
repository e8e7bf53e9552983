// check: unsafe assertion
// args: --property assertion
// headline prove: unknown (no proof was found)
// What is read through an address from outside may be anything that some object holds.
#include <assert.h>

long __VERIFIER_nondet_long(void);

int x = 3;

int main(void) {
    int *p = (int *)__VERIFIER_nondet_long();
    if (p == &x) {
        int value = *p;
        assert(value != 3); //~ violation
    }
    return 0;
}

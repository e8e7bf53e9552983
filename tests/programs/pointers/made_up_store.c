// check: unsafe assertion
// args: --property assertion
// headline prove: unknown (no proof was found)
// A number that comes from outside may be the address of any object, and what is written there is written to it.
#include <assert.h>

long __VERIFIER_nondet_long(void);

int x;

int main(void) {
    int *p = (int *)__VERIFIER_nondet_long();
    if (p == &x) {
        *p = 1;
        assert(x == 0); //~ violation
    }
    return 0;
}

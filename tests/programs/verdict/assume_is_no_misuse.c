// check: safe
// args: --property assertion --strict
// headline auto explicit lazy tree: safe
// headline cbmc: safe within bounds (unwind 1 complete, rounds 2)
// headline swarm: safe within bounds (unwind 2 complete, rounds 2, all 1 selection of 2 tiles of size 1)
// Runs that an assumption of the program ends are none: nothing is hidden.
#include <assert.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 3);
    assert(x != 2);
    return 0;
}

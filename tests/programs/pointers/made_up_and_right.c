// An input that equals the address of a variable is a pointer to it. Formulas do not follow it there.
// check: unsafe assertion
// headline explicit: unsafe (assertion at made_up_and_right.c:18)
// headline lazy tree: unknown (not supported: an access through a pointer that was made up at made_up_and_right.c:17)
// headline cbmc --unwind 1: unknown (not supported: an access through a pointer that was made up at made_up_and_right.c:17)
#include <assert.h>
#include <stdint.h>

unsigned long __VERIFIER_nondet_ulong(void);

int variable;

int main(void) {
    uintptr_t input = __VERIFIER_nondet_ulong();
    if (input != (uintptr_t)&variable)
        return 0;
    *(int *)input = 5;
    assert(variable != 5); //~ violation
    return 0;
}

// check: unsafe assertion
// args: --property assertion
// headline lazy tree cbmc --unwind 2: unknown (not supported: a call through a pointer that was made up at made_up_call.c:17)
// headline prove: unknown (no proof was found)
// A number that comes from outside may be the address of a function.
#include <assert.h>

long __VERIFIER_nondet_long(void);

void fails(void) {
    assert(0); //~ violation
}

int main(void) {
    void (*p)(void) = (void (*)(void))__VERIFIER_nondet_long();
    if (p == fails)
        p();
    return 0;
}

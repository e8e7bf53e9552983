// check: unsafe assertion
// CBMC's habit: a function named nondet_* that nobody defines.
#include <assert.h>

_Bool nondet_bool(void);

int main(void) {
    int heads = nondet_bool() + nondet_bool();
    assert(heads != 2); //~ violation
    return 0;
}

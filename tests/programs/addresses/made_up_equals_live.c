// check: unsafe assertion
#include <assert.h>

void *__VERIFIER_nondet_pointer(void);

static int x;

int main(void) {
    void *p = __VERIFIER_nondet_pointer();
    assert(p != &x); //~ violation
    return 0;
}

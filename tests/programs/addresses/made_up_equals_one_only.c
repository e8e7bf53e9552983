// check: safe
#include <assert.h>

void *__VERIFIER_nondet_pointer(void);

static int x, y;

int main(void) {
    void *p = __VERIFIER_nondet_pointer();
    if (p == &x)
        assert(p != &y);
    return 0;
}

// check: safe
// abort ends the run without being an error.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void assume_abort_if_not(int condition) {
    if (!condition)
        abort();
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    assume_abort_if_not(x >= 1 && x <= 3);
    assert(6 % x == 0);
    return 0;
}

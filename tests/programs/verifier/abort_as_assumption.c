// check: safe
// assumption: runs end at abort() at abort_as_assumption.c:14, which was not checked
// headline explicit lazy tree: safe
// headline auto explicit lazy tree --property abort: unsafe (abort at abort_as_assumption.c:14)
// Where programs follow SV-COMP's conventions, abort ends the run without being an error; that runs end there is said.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void assume_abort_if_not(int condition) {
    if (!condition)
        // An assumption.
        abort();
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    assume_abort_if_not(x >= 1 && x <= 3);
    assert(6 % x == 0);
    return 0;
}

// check: safe
// args: --property overflow,assertion
// headline lazy tree: safe
#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int input = __VERIFIER_nondet_int();
    if (input > -100 && input < 100)
        assert(abs(input) >= 0 && labs(input) == abs(-input) && llabs(-5) == 5);
    return 0;
}

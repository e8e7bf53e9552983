// The least number has no positive counterpart.
// check: unsafe overflow
// args: --property overflow
// headline lazy tree: unsafe (overflow at absolute_value.c:13)
// headline lazy --opt O1: unsafe (overflow at absolute_value.c:13)
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int result;

int main(void) {
    result = abs(__VERIFIER_nondet_int()); //~ violation
    return 0;
}

// The least number has no positive counterpart.
// check: unsafe overflow
// args: --property overflow
// headline lazy tree: unsafe (overflow at absolute_value.c:11)
// headline lazy --opt O1: unsafe (overflow at absolute_value.c:11)
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    return abs(__VERIFIER_nondet_int()) % 3; //~ violation
}

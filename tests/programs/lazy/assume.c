// check: safe
// args: --engine lazy
#include <assert.h>

void __VERIFIER_assume(int condition);
int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0 && x < 50);
    __VERIFIER_assume(y == 2 * x + 1);
    assert(y % 2 == 1 && y < 100);
    return 0;
}

// check: unknown nothing-checked
// args: --engine lazy --unwind 1 --property assertion
// The assertion stands behind more iterations than are looked at.
#include <assert.h>

int input(void);

int main(void) {
    int n = 0;
    while (n < 5)
        n += input() ? 1 : 0;
    assert(n == 6);
    return 0;
}

// check: unsafe assertion
// args: --engine lazy
// Without bounds it finds out by itself.
// check --unwind 3: unsafe assertion
// check --unwind 2: safe-within-bounds
#include <assert.h>

int input(void);

int main(void) {
    int n = input(), steps = 0;
    while (n > 0) {
        n /= 2;
        steps++;
    }
    assert(steps != 3); //~ violation
    return 0;
}

// check: unsafe assertion
// args: --engine lazy --unwind 3
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

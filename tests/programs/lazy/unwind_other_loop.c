// check: safe-within-bounds
// args: --engine lazy --unwind 1 --unwind-loop unwind_other_loop.c:9=4
#include <assert.h>

int input(void);

int main(void) {
    int n = input(), m = input(), a = 0, b = 0;
    while (a < n)
        a++;
    while (b < m)
        b++;
    assert(b < 4);
    return 0;
}

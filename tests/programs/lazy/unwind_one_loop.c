// check --engine lazy --unwind 1 --unwind-loop unwind_one_loop.c:11=4: unsafe assertion
// check --engine lazy --unwind 1 --unwind-loop unwind_one_loop.c:9=4: safe-within-bounds
#include <assert.h>

int input(void);

int main(void) {
    int n = input(), m = input(), a = 0, b = 0;
    while (a < n)
        a++;
    while (b < m)
        b++;
    assert(b < 4); //~ violation
    return 0;
}

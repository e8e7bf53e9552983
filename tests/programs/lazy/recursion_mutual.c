// check: unsafe assertion
// args: --engine lazy --recursion 4 --unwind 1
#include <assert.h>

int input(void);

static int odd(int n);

static int even(int n) {
    return n == 0 ? 1 : odd(n - 1);
}

static int odd(int n) {
    return n == 0 ? 0 : even(n - 1);
}

int main(void) {
    int n = input();
    if (n > 2 && n < 6)
        assert(!even(n)); //~ violation
    return 0;
}

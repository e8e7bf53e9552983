// check: unsafe assertion
// args: --engine lazy --recursion 4 --unwind 1
#include <assert.h>

int input(void);

static int depth(int n) {
    return n <= 0 ? 0 : 1 + depth(n - 1);
}

int main(void) {
    int n = input();
    assert(depth(n) != 3); //~ violation
    return 0;
}

// check: safe-within-bounds
// args: --engine lazy --recursion 2 --unwind 5
#include <assert.h>

int input(void);

static int depth(int n) {
    return n <= 0 ? 0 : 1 + depth(n - 1);
}

int main(void) {
    int n = input();
    assert(depth(n) != 3);
    return 0;
}

// check: safe
#include <assert.h>

int ackermann(int m, int n) {
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int is_odd(int n);
static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }

int main(void) {
    assert(ackermann(2, 3) == 9);
    assert(is_even(10) && !is_even(7));
    return 0;
}

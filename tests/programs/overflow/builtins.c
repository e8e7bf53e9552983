// check: safe
#include <assert.h>
#include <limits.h>

int main(void) {
    int r;
    unsigned u;
    long long l;
    assert(__builtin_add_overflow(INT_MAX, 1, &r) && r == INT_MIN);
    assert(!__builtin_sub_overflow(3, 5, &r) && r == -2);
    assert(__builtin_sub_overflow(3u, 5u, &u));
    assert(__builtin_mul_overflow(LLONG_MAX, 2LL, &l) && l == -2);
    assert(!__builtin_mul_overflow(1000, 1000, &r) && r == 1000000);
    return 0;
}

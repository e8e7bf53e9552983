// check: safe
// Signed overflow wraps unless asked for.
#include <assert.h>
#include <limits.h>

int main(void) {
    int x = INT_MAX;
    x = x + 1;
    assert(x == INT_MIN);
    return 0;
}

// check: safe
// args: --property overflow
#include <assert.h>
#include <limits.h>

int main(void) {
    unsigned x = UINT_MAX;
    x++;
    assert(x == 0);
    int y = INT_MIN + 1;
    y = -y;
    assert(y == INT_MAX);
    return 0;
}

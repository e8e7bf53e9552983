// check: safe
// args: --engine lazy --property assertion
// A run ends where it does what is not defined, whether or not that is checked.
#include <assert.h>

int input(void);

int main(void) {
    int a[2] = {0, 0}, i = input();
    if (i < -100 || i > 100)
        return 0;
    a[i] = 1;
    assert(i == 0 || i == 1);
    return 0;
}

// check: safe
// args: --engine lazy
#include <assert.h>

unsigned input(void);

int main(void) {
    unsigned char a[6] = {0};
    unsigned i = input(), j = input();
    if (i >= 6 || j >= 6)
        return 0;
    a[i] = 1;
    a[j] = 2;
    assert(a[j] == 2 && (a[i] == 1 || i == j));
    return 0;
}

// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

unsigned input(void);

int main(void) {
    int a[6] = {0};
    unsigned i = input(), j = input(), k = input();
    if (i >= 6 || j >= 6 || k >= 6)
        return 0;
    a[i] += 1;
    a[j] += 2;
    a[k] += 4;
    assert(a[3] != 6); //~ violation
    return 0;
}

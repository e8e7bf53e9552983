// check: unsafe assertion
// args: --engine lazy --unwind 1
// What was never written may be anything, and stays so.
#include <assert.h>

int main(void) {
    int x;
    int *p = &x;
    if (*p > 5 && *p < 9)
        assert(*p * 3 != 21); //~ violation
    return 0;
}

// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

unsigned input(void);

const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

int main(void) {
    unsigned i = input(), j = input();
    if (i < 8 && j < 8 && i < j)
        assert(table[i] + 4 != table[j]); //~ violation
    return 0;
}

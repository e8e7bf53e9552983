// check: unsafe memory
// args: --engine lazy --unwind 1
#include <assert.h>

unsigned input(void);

int table[8];

int main(void) {
    unsigned i = input();
    if (i % 3 == 2 && i <= 8)
        return table[i] + table[i - 2]; //~ violation
    return 0;
}

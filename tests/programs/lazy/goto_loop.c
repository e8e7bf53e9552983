// check: unsafe assertion
// args: --engine lazy --unwind 3
// Two ways into one loop.
#include <assert.h>

int input(void);

int main(void) {
    int n = 0;
    if (input())
        goto middle;
start:
    n += 1;
middle:
    n += 10;
    if (input())
        goto start;
    assert(n != 32); //~ violation
    return 0;
}

// check: unsafe assertion
// args: --engine lazy --unwind 2
// Every time the inner loop is entered it may run twice.
#include <assert.h>

int input(void);

int main(void) {
    int work = 0;
    for (int i = input(); i < 2; i++)
        for (int j = input(); j < 2; j++)
            work++;
    assert(work != 4); //~ violation
    return 0;
}

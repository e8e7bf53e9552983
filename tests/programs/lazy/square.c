// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

int input(void);

int main(void) {
    int x = input();
    if (x > -100 && x < 0)
        assert(x * x != 49); //~ violation
    return 0;
}

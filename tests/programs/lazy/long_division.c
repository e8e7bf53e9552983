// check: unsafe assertion
// args: --engine lazy --unwind 1
#include <assert.h>

unsigned short input(void);

int main(void) {
    unsigned short a = input(), b = input();
    if (b > 3)
        assert(a / b != 1234 || a % b != 5); //~ violation
    return 0;
}

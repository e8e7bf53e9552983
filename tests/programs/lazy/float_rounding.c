// check: unsafe assertion
// args: --engine lazy --unwind 1
// A number that is too small to change another one.
#include <assert.h>

unsigned char input(void);

int main(void) {
    float big = 16777216.0f, small = input();
    assert(small == 0 || big + small != big); //~ violation
    return 0;
}

// check: unsafe assertion
// args: --engine lazy --unwind 1
// A store through a pointer that is one of three.
#include <assert.h>

int input(void);

int a = 1, b = 2, c[2] = {3, 4};

int main(void) {
    int choice = input();
    int *p = choice < 0 ? &a : choice > 100 ? &b : &c[choice & 1];
    *p += 10;
    assert(a + c[1] != 15 || choice < 50); //~ violation
    return 0;
}

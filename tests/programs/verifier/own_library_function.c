// check: safe
// The program's own definition of a library function wins over the model.
#include <assert.h>

int abs(int x) {
    return x + 1000;
}

int main(void) {
    int x = -1;
    int (*volatile f)(int) = abs;
    assert(f(x) == 999);
    return 0;
}

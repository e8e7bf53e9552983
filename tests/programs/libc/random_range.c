// check: unsafe assertion
// rand is an input that is not negative; drand48 lies in [0, 1).
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int x = rand() % 3;
    assert(x >= 0 && x < 3);
    assert(x != 2); //~ violation
    return 0;
}

// check: unsafe assertion
// args: --engine lazy
// Within its range, the value is any.
#include <assert.h>
#include <math.h>

int main(void) {
    volatile double x = 0.5;
    assert(sin(x) < 0.9); //~ violation
    return 0;
}

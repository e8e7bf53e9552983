// check: unsafe assertion
#include <assert.h>

static int a, b;

int main(void) {
    int *p = &a, *q = &b;
    assert(p < q); //~ violation
    return 0;
}

// check: safe
// check -DFIRST=a -DSECOND=b -DTHIRD=c: unsafe assertion
// check -DFIRST=a -DSECOND=c -DTHIRD=b: unsafe assertion
// check -DFIRST=b -DSECOND=a -DTHIRD=c: unsafe assertion
// check -DFIRST=b -DSECOND=c -DTHIRD=a: unsafe assertion
// check -DFIRST=c -DSECOND=a -DTHIRD=b: unsafe assertion
// check -DFIRST=c -DSECOND=b -DTHIRD=a: unsafe assertion
// Three objects lie in any of the six orders, and always in one of them.
#include <assert.h>
#include <stdint.h>

static int a, b, c;

static int before(int *p, int *q) { return (uintptr_t)p < (uintptr_t)q; }

int main(void) {
#ifdef FIRST
    assert(!(before(&FIRST, &SECOND) && before(&SECOND, &THIRD)));
#else
    assert(before(&a, &b) != before(&b, &a));
    if (before(&a, &b) && before(&b, &c))
        assert(before(&a, &c));
#endif
    return 0;
}

// check: unsafe assertion
// args: --unknown-functions havoc
// It may call it with the data that it is given.
#include <assert.h>
static void cb(void *p) { *(int *)p += 1; } void reg(void (*)(void *), void *); int main(void) { int x = 3; reg(cb, &x); assert(x == 3); }

// check: unsafe assertion
// A decrement that is tried once may not happen.
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
static int dec(void) { int v = atomic_load(&x); if (v == 0) return 0; return atomic_compare_exchange_weak(&x, &v, v - 1); }
int main(void) { x = 1; assert(dec() || x == 0); }

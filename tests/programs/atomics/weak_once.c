// check: unsafe assertion
// A weak compare-exchange may fail although the value is the expected one.
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
int main(void) { int e = 0; assert(atomic_compare_exchange_weak(&x, &e, 1)); }

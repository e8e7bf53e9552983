// check: safe
// A strong compare-exchange does not fail for no reason.
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
int main(void) { int e = 0; assert(atomic_compare_exchange_strong(&x, &e, 1)); assert(x == 1); }

// check: unsafe assertion
// Three tries may all fail for no reason.
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
int main(void) { int ok = 0; for (int i = 0; i < 3 && !ok; i++) { int e = 0; ok = atomic_compare_exchange_weak(&x, &e, 1); } assert(ok); }

// check: safe
// A failure for no reason writes nothing, and the expected value stays what it was.
#include <stdatomic.h>
#include <assert.h>
atomic_int x;
int main(void) { int e = 0; if (!atomic_compare_exchange_weak(&x, &e, 1)) assert(e == 0 && x == 0); else assert(x == 1); }

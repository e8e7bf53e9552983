// check: unsafe assertion
// A lock that is tried once by a weak compare-exchange may not be had though it is free.
#include <stdatomic.h>
#include <assert.h>
atomic_int lock;
static int try_lock(void) { int e = 0; return atomic_compare_exchange_weak(&lock, &e, 1); }
int main(void) { assert(try_lock()); }

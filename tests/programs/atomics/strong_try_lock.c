// check: safe
// A lock that is tried once by a strong compare-exchange is had if it is free.
#include <stdatomic.h>
#include <assert.h>
atomic_int lock;
static int try_lock(void) { int e = 0; return atomic_compare_exchange_strong(&lock, &e, 1); }
int main(void) { assert(try_lock()); }

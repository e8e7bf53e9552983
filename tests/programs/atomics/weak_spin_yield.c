// check: safe
// A spin lock over a weak compare-exchange that yields: nobody can tell how often it tried.
#include <stdatomic.h>
#include <pthread.h>
#include <sched.h>
#include <assert.h>
atomic_int lock; int c;
static void acquire(void) { int e = 0; while (!atomic_compare_exchange_weak(&lock, &e, 1)) { e = 0; sched_yield(); } }
void *t(void *x) { acquire(); c++; atomic_store(&lock, 0); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); t(0); pthread_join(h, 0); assert(c == 2); }

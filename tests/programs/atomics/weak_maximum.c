// check: safe
// The greatest value wins, however often an exchange fails.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x;
static void max(int v) { int old = atomic_load_explicit(&x, memory_order_relaxed); while (old < v && !atomic_compare_exchange_weak_explicit(&x, &old, v, memory_order_acq_rel, memory_order_relaxed)) ; }
void *t(void *a) { max(3); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); max(5); pthread_join(h, 0); assert(x == 5); }

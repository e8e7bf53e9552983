// check: safe
// A loop that tries again cannot tell that a weak compare-exchange failed for no reason.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x;
void *t(void *a) { int e = x; while (!atomic_compare_exchange_weak(&x, &e, e + 1)); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); t(0); pthread_join(h, 0); assert(x == 2); }

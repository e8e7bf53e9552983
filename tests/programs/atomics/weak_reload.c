// check: safe
// A loop that reads again before each try may leave in between, as it may have at first.
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x;
static int dec(void) { int v; do { v = atomic_load(&x); if (v == 0) return 0; } while (!atomic_compare_exchange_weak(&x, &v, v - 1)); return 1; }
void *t(void *a) { dec(); return 0; }
int main(void) { pthread_t h; x = 1; pthread_create(&h, 0, t, 0); dec(); pthread_join(h, 0); assert(x == 0); }

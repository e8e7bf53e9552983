// check: safe
// Waiting at a barrier is no cancellation point.
#include <assert.h>
#include <pthread.h>
int a, b; pthread_barrier_t m;
void *t(void *x) { a = 1; pthread_barrier_wait(&m); b = 1; return 0; }
int main(void) { pthread_t p; pthread_barrier_init(&m, 0, 2); pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_barrier_wait(&m); pthread_join(p, 0); assert(a == b); }

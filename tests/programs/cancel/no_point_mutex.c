// check: safe
// Locking a mutex is no cancellation point.
#include <assert.h>
#include <pthread.h>
int a, b; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *t(void *x) { a = 1; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); b = 1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); assert(a == b); }

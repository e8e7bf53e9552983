// check: unsafe assertion
// One signal may seem to wake two threads: each wait may end without one.
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int go, woke;
void *t(void *a) { pthread_mutex_lock(&m); if (!go) pthread_cond_wait(&c, &m); woke++; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);
 pthread_mutex_lock(&m); int before = woke; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
 pthread_mutex_lock(&m); assert(woke <= before + 1); go = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);
 pthread_join(a, 0); pthread_join(b, 0); }

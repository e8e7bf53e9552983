// check: safe
// A cancelled wait has the mutex when cleanup handlers run.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;
void un(void *x) { assert(pthread_mutex_unlock(&m) == 0); }
void *t(void *x) { pthread_mutex_lock(&m); pthread_cleanup_push(un, 0); while (!ready) pthread_cond_wait(&c, &m); pthread_cleanup_pop(1); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }

// check: unsafe deadlock
// A thread of asynchronous type may die with a lock.
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *t(void *x) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_cancel(p); pthread_join(p, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }

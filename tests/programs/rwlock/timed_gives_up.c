// check: unsafe assertion
// A timed read lock gives up while a writer has the lock.
#include <pthread.h>
#include <assert.h>
#include <time.h>
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
void *t(void *a) { pthread_rwlock_wrlock(&l); pthread_rwlock_unlock(&l); return 0; }
int main(void) { pthread_t h; struct timespec ts = {0}; pthread_create(&h, 0, t, 0); assert(pthread_rwlock_timedrdlock(&l, &ts) == 0); pthread_rwlock_unlock(&l); pthread_join(h, 0); }

// check: unsafe assertion
// A wait that has timed out does not notice the broadcast that comes before it gets the mutex.
#include <pthread.h>
#include <assert.h>
#include <time.h>
#include <errno.h>
/* the signal came to this waiter, alone; may it still say ETIMEDOUT? In glibc yes: times out first, then signal has no waiter */
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, waiting;
void *t(void *a) { pthread_mutex_lock(&m); if (waiting) { ready = 1; pthread_cond_broadcast(&c); } pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
 struct timespec ts = {0}; int r;
 pthread_mutex_lock(&m); waiting = 1; r = pthread_cond_timedwait(&c, &m, &ts);
 assert(r == 0 || !ready);
 pthread_mutex_unlock(&m); pthread_join(h, 0); }

// check: unsafe assertion
// A timed wait may report a timeout although the predicate holds by now: it gets the mutex after the signaller.
#include <pthread.h>
#include <assert.h>
#include <time.h>
#include <errno.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready;
void *t(void *a) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
 struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts); ts.tv_sec += 1; int r = 0;
 pthread_mutex_lock(&m); while (!ready && r == 0) r = pthread_cond_timedwait(&c, &m, &ts);
 if (r == ETIMEDOUT) assert(!ready);
 pthread_mutex_unlock(&m); pthread_join(h, 0); }

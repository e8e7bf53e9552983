// check: unsafe assertion
// A timed lock gives up where another thread has the mutex for a moment.
#include <pthread.h>
#include <assert.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int held;
void *t(void *a) { pthread_mutex_lock(&m); held = 1; held = 0; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0);
 struct timespec ts = {0};
 if (pthread_mutex_timedlock(&m, &ts) == 0) pthread_mutex_unlock(&m); else assert(0);
 pthread_join(h, 0); }

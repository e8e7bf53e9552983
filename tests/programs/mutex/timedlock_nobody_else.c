// check: safe
// A timed lock never fails where the mutex can be had at once.
#include <pthread.h>
#include <assert.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) { struct timespec ts = {0};
 assert(pthread_mutex_timedlock(&m, &ts) == 0); pthread_mutex_unlock(&m); }

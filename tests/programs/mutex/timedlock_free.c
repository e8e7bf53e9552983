// check: safe
// A timed lock of a free mutex cannot time out, and one of a held mutex does not deadlock.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    struct timespec until = {1, 0};
    assert(pthread_mutex_timedlock(&m, &until) == 0);
    assert(pthread_mutex_timedlock(&m, &until) == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    return 0;
}

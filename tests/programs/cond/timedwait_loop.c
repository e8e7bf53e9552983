// check: safe
// Waits until the value is there, or gives up after two timeouts.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, value;

void *producer(void *arg) {
    pthread_mutex_lock(&m);
    value = 3;
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    struct timespec until = {1, 0};
    int timeouts = 0;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready && timeouts < 2)
        if (pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT)
            timeouts++;
    assert(ready ? value == 3 : timeouts == 2);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

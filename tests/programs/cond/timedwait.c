// check: safe
// A timed wait ends with or without the signal; the mutex is held again in both cases.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

void *producer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct timespec until = {1, 0};
    int r = 0;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready && r == 0)
        r = pthread_cond_timedwait(&c, &m, &until);
    assert(ready || r == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

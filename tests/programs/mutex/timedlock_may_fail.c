// check: unsafe assertion
#include <assert.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    (void)arg;
    struct timespec until = {1, 0};
    assert(pthread_mutex_timedlock(&m, &until) == 0); //~ violation
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

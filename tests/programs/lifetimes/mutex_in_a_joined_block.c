// check: safe
#include <pthread.h>

static void *worker(void *arg) {
    pthread_mutex_lock(arg);
    pthread_mutex_unlock(arg);
    return 0;
}

int main(void) {
    pthread_t t;
    if (1) {
        pthread_mutex_t m;
        pthread_mutex_init(&m, 0);
        pthread_create(&t, 0, worker, &m);
        pthread_join(t, 0);
        pthread_mutex_destroy(&m);
    }
    return 0;
}

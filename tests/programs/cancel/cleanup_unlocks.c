// check: safe
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void unlock(void *arg) {
    pthread_mutex_unlock(arg);
}

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

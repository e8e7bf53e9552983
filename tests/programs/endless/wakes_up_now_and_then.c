// check: safe
// args: --property termination
// lazy: skip a property of whole runs
// A waiter that could wake up by itself for ever, and count that, is no run without end: such wake-ups are rare.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready, odd;

void *producer(void *arg) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready) {
        odd = !odd;
        pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

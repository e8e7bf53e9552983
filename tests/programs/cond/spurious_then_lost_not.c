// check: safe
// args: --no-spurious-wakeups
// headline explicit lazy tree: safe
// The same is right as long as nobody wakes up by itself.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting, ready;

void *producer(void *arg) {
    pthread_mutex_lock(&m);
    int somebody = waiting;
    pthread_mutex_unlock(&m);
    ready = 1;
    if (somebody)
        pthread_cond_signal(&c);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    waiting = 1;
    pthread_create(&t, NULL, producer, NULL);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

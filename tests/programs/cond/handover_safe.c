// check: safe
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int full, item;

void *producer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    item = 5;
    full = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!full)
        pthread_cond_wait(&filled, &m);
    assert(item == 5);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    pthread_cond_destroy(&filled);
    pthread_mutex_destroy(&m);
    return 0;
}

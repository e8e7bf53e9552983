// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 3 --property assertion
// Two are woken, and there is one item.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int full, item;

void *consumer(void *arg) {
    pthread_mutex_lock(&m);
    if (!full)
        pthread_cond_wait(&c, &m);
    assert(full); //~ violation
    full = 0;
    pthread_mutex_unlock(&m);
    return arg;
}

void *producer(void *arg) {
    pthread_mutex_lock(&m);
    item = 5;
    full = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t a, b, d;
    pthread_create(&a, NULL, consumer, NULL);
    pthread_create(&d, NULL, consumer, NULL);
    pthread_create(&b, NULL, producer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

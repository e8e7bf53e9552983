// check: unsafe assertion
// Between the signal and the waiter's return a third thread can take the item away.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int items;

void *thief(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    if (items > 0)
        items--;
    pthread_mutex_unlock(&m);
    return NULL;
}

void *producer(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_mutex_lock(&m);
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, thief, NULL);
    if (items == 0)
        pthread_cond_wait(&c, &m);
    assert(items > 0); //~ violation
    pthread_mutex_unlock(&m);
    return 0;
}

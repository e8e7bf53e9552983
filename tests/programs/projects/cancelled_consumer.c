// check: safe
// A consumer is cancelled while it waits; its cleanup handler gives the mutex back.
// check -DKEEPS_LOCK: unsafe
// Without its cleanup handler the cancelled thread keeps the mutex.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static int items;
static int cleaned;
static void cleanup(void *p) {
#ifndef KEEPS_LOCK
    pthread_mutex_unlock(p);
#endif
    cleaned = 1;
}
static void *consumer(void *a) {
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, NULL);
    pthread_mutex_lock(&mu);
    pthread_cleanup_push(cleanup, &mu);
    while (!items)
        pthread_cond_wait(&cv, &mu);
    items--;
    pthread_cleanup_pop(1);
    for (;;) {
        char c;
        if (read(0, &c, 1) <= 0)
            break;
    }
    return NULL;
}
int main(void) {
    pthread_t t;
    void *res;
    pthread_create(&t, NULL, consumer, NULL);
    pthread_cancel(t);
    pthread_join(t, &res);
    if (res == PTHREAD_CANCELED) {
        if (pthread_mutex_trylock(&mu))
            assert(0);
    }
    return 0;
}

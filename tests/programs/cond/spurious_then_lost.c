// check: unsafe deadlock
// headline explicit lazy tree: unsafe (deadlock at spurious_then_lost.c:30)
// The producer signals only once it knows that somebody waits, but holds no mutex when it does: a waiter that woke up by
// itself has looked already, and does not wait yet.
// check --no-spurious-wakeups: safe
// headline explicit lazy tree: safe
// That is right as long as nobody wakes up by itself.
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
        pthread_cond_wait(&c, &m); //~ violation
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at spurious_without_signal.c:29)
// Nobody signals, but a waiter that wakes up by itself finds what it waits for: the loop does not keep it from that.
// args: --property assertion
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting, ready;

void *producer(void *arg) {
    pthread_mutex_lock(&m);
    if (waiting)
        ready = 1;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready) {
        waiting = 1;
        pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
    assert(0); //~ violation
    return 0;
}

// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at spurious_seen_by_trylock.c:19)
// The main thread is woken only at the end. But while it looks whether it may go on, having woken up by itself, it holds
// the mutex, and that is noticed.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting, ready;

void *producer(void *arg) {
    pthread_mutex_lock(&m);
    int somebody = waiting;
    pthread_mutex_unlock(&m);
    if (somebody && pthread_mutex_trylock(&m) != 0) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        assert(0); //~ violation
    }
    if (!somebody)
        pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
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

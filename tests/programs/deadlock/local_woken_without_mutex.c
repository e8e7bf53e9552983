// check: unsafe deadlock
// The waiter is woken, but the mutex has gone with the one who woke it.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;
volatile int ticks;

void *waits(void *arg) {
    pthread_mutex_lock(&m); //~ violation
    while (!ready)
        pthread_cond_wait(&c, &m); //~ violation
    pthread_mutex_unlock(&m);
    return arg;
}

void *wakes(void *arg) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, waits, NULL);
    pthread_create(&u, NULL, wakes, NULL);
    for (;;)
        ticks = !ticks;
}

// check: unsafe deadlock
// A thread ends and keeps the mutex; main is not concerned.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
volatile int ticks;

void *careless(void *arg) {
    pthread_mutex_lock(&m);
    return arg;
}

void *waits(void *arg) {
    pthread_mutex_lock(&m); //~ violation
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, careless, NULL);
    pthread_join(t, NULL);
    pthread_create(&u, NULL, waits, NULL);
    while (1)
        ticks = !ticks;
}

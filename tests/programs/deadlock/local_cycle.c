// check: unsafe deadlock
// Two threads wait for each other, while main runs for ever.
// check -DMAIN_RETURNS: unsafe deadlock
// Nobody waits for the two, and the process ends all the same; until then they wait for each other.
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
volatile int ticks;

void *one(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ violation
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

void *two(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); //~ violation
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
#ifdef MAIN_RETURNS
    return 0;
#else
    for (;;)
        ticks = !ticks;
#endif
}

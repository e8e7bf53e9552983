// check: unsafe deadlock
// args: --property deadlock
// On Linux the destroyer waits for the waiting thread, which nobody wakes. Misuse of locks is not asked for.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *waiter(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m); //~ violation
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_cond_destroy(&c); //~ violation
    return 0;
}

// check: unsafe lock
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waits;

void *waiter(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    waits = 1;
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&m);
    if (waits)
        pthread_cond_destroy(&c); //~ violation
    pthread_mutex_unlock(&m);
    return 0;
}

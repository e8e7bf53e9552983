// check: unsafe deadlock
// Locked twice, unlocked once: the other thread never gets it.
#define _GNU_SOURCE
#include <pthread.h>

pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m); //~ violation
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL); //~ violation
    return 0;
}

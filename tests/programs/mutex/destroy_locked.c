// check: unsafe lock
// Whether the mutex is still held when it is destroyed depends on the schedule.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m); //~ violation
    pthread_mutex_unlock(&m); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_destroy(&m); //~ violation
    pthread_join(t, NULL);
    return 0;
}

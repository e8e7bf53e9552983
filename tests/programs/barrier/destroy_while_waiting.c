// check: unsafe lock
#include <pthread.h>

pthread_barrier_t barrier;

void *worker(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    pthread_barrier_destroy(&barrier); //~ violation
    return 0;
}

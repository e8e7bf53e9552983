// check: unsafe deadlock
// The barrier waits for three threads, and there are two.
#include <pthread.h>

pthread_barrier_t barrier;

void *worker(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&t, NULL, worker, NULL);
    pthread_barrier_wait(&barrier); //~ violation
    pthread_join(t, NULL);
    return 0;
}

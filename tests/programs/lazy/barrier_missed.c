// check: unsafe deadlock
// args: --engine lazy --unwind 1 --rounds 2
#include <pthread.h>

pthread_barrier_t barrier;
int late;

void *worker(void *arg) {
    if (!late)
        pthread_barrier_wait(&barrier); //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    late = 1;
    pthread_barrier_wait(&barrier); //~ violation
    pthread_join(t, NULL);
    return 0;
}

// check: safe
// Two rounds over one barrier: nobody enters the second before all have left the first.
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int arrived[2];

void *worker(void *arg) {
    int me = *(int *)arg;
    for (int round = 1; round <= 2; round++) {
        arrived[me] = round;
        pthread_barrier_wait(&barrier);
        assert(arrived[1 - me] == round);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    int numbers[2] = {0, 1};
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, &numbers[1]);
    worker(&numbers[0]);
    pthread_join(t, NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}

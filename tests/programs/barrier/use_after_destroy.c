// check: unsafe lock
#include <pthread.h>

pthread_barrier_t barrier;

int main(void) {
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier);
    pthread_barrier_wait(&barrier); //~ violation
    return 0;
}

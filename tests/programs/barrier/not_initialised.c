// check: unsafe lock
#include <pthread.h>

pthread_barrier_t barrier;

int main(void) {
    pthread_barrier_wait(&barrier); //~ violation
    return 0;
}

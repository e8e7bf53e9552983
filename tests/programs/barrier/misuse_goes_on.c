// check: unsafe assertion
// args: --property assertion
// A destroyed barrier is still for one thread. Only assertions are asked for.
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int passed;

int main(void) {
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_barrier_destroy(&barrier);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        passed = 1;
    assert(!passed); //~ violation
    return 0;
}

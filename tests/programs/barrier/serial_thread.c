// check: safe
// Exactly one of three threads is told that it is the serial one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_barrier_t barrier;
atomic_int serial;

void *worker(void *arg) {
    (void)arg;
    int r = pthread_barrier_wait(&barrier);
    assert(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
    if (r == PTHREAD_BARRIER_SERIAL_THREAD)
        atomic_fetch_add(&serial, 1);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    worker(NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(serial == 1);
    pthread_barrier_destroy(&barrier);
    return 0;
}

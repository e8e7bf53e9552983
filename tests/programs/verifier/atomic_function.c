// check: safe
// A function whose name begins with __VERIFIER_atomic_ runs without interruption.
#include <assert.h>
#include <pthread.h>

int counter;

void __VERIFIER_atomic_increment(void) {
    counter++;
}

void *worker(void *arg) {
    __VERIFIER_atomic_increment();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(counter == 2);
    return 0;
}

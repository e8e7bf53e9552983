// check: unsafe assertion
// The other thread's plain increment is still interrupted.
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
    counter++;
    pthread_join(t, NULL);
    assert(counter == 2); //~ violation
    return 0;
}

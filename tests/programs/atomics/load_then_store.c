// check: unsafe assertion
// An atomic load and an atomic store are not one atomic step.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

void *worker(void *arg) {
    counter = counter + 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(counter == 2); //~ violation
    return 0;
}

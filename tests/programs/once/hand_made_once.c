// check: unsafe assertion
// A flag set before the work is done lets the second thread run ahead.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int begun;
int value;

void *worker(void *arg) {
    (void)arg;
    if (atomic_exchange(&begun, 1) == 0)
        value = 42;
    assert(value == 42); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}

// check: unsafe assertion
// The value is the same again, and yet it has changed in between.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x = 1, changes;

void *worker(void *arg) {
    x = 2;
    changes++;
    x = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    int before = changes, seen = x;
    if (seen == 1 && atomic_compare_exchange_strong(&x, &seen, 3))
        assert(changes == before); //~ violation
    pthread_join(t, NULL);
    return 0;
}

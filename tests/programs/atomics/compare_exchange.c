// check: safe
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x;

void *worker(void *arg) {
    int seen = atomic_load(&x);
    while (!atomic_compare_exchange_weak(&x, &seen, seen + 1))
        ;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    int expected = 5;
    assert(!atomic_compare_exchange_strong(&x, &expected, 9) && expected == 2 && x == 2);
    assert(atomic_compare_exchange_strong(&x, &expected, 9) && x == 9);
    return 0;
}

// check: safe
// args: --engine lazy --unwind 3
// The other thread can get in the way only once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int total;

void *worker(void *arg) {
    int old = atomic_load(&total);
    while (!atomic_compare_exchange_strong(&total, &old, old + 1))
        ;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == 2);
    return 0;
}

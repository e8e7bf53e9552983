// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int total;

void *worker(void *arg) {
    int old = atomic_load(&total);
    atomic_compare_exchange_strong(&total, &old, old + 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(total == 2); //~ violation
    return 0;
}

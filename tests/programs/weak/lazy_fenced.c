// check: safe
// headline lazy tree --memory-model tso: safe
// headline lazy tree --memory-model pso: safe
// A fence between each store and the load behind it: no load overtakes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;

void *first(void *arg) {
    x = 1;
    atomic_thread_fence(memory_order_seq_cst);
    a = y;
    return 0;
}

void *second(void *arg) {
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    b = x;
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, second, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(a || b);
}

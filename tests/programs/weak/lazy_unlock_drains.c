// check: safe
// headline lazy tree --memory-model tso: unsafe (assertion at lazy_unlock_drains.c:32)
// headline lazy tree --memory-model pso: unsafe (assertion at lazy_unlock_drains.c:32)
// The store waits until the mutex is given back, and others run before that: there must be a switch between the load and
// the unlock, though the unlock itself needs none.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x, y, a, b;

void *first(void *arg) {
    pthread_mutex_lock(&mutex);
    x = 1;
    a = y;
    pthread_mutex_unlock(&mutex);
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
    pthread_create(&p, 0, first, 0), pthread_create(&q, 0, second, 0);
    pthread_join(p, 0), pthread_join(q, 0);
    assert(a || b); //~ violation
}

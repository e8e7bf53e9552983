// check: safe
// headline lazy tree --memory-model tso: unsafe (assertion at lazy_capacity.c:28)
// headline lazy tree --memory-model tso --store-buffer 2: unsafe (assertion at lazy_capacity.c:28)
// headline lazy tree --memory-model tso --store-buffer 3: unsafe (assertion at lazy_capacity.c:28)
// Two stores must wait at a time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, z, a, b;

void *first(void *arg) {
    x = 1, y = 1;
    a = z;
    return 0;
}

void *second(void *arg) {
    z = 1, atomic_thread_fence(memory_order_seq_cst);
    b = x + y;
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0), pthread_create(&q, 0, second, 0);
    pthread_join(p, 0), pthread_join(q, 0);
    assert(a || x + y == 0 || b); //~ violation
}

// check: safe
// headline explicit --memory-model tso: unsafe (assertion at store_buffering_one_fence.c:31)
// headline explicit --memory-model pso: unsafe (assertion at store_buffering_one_fence.c:31)
// One fence is not enough, nor is one of another kind.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;

void *thread1(void *arg) {
    x = 1;
    atomic_thread_fence(memory_order_seq_cst);
    a = y;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
    atomic_thread_fence(memory_order_acq_rel);
    b = x;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(a == 1 || b == 1);
    return 0;
}

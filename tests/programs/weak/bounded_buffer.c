// check: safe
// headline explicit --memory-model tso: unsafe (assertion at bounded_buffer.c:37)
// headline explicit --memory-model tso --store-buffer 1: safe within bounds (store buffers of 1 store)
// headline explicit --memory-model tso --store-buffer 2: unsafe (assertion at bounded_buffer.c:37)
// headline explicit --memory-model pso: unsafe (assertion at bounded_buffer.c:37)
// headline explicit --memory-model pso --store-buffer 1: safe within bounds (store buffers of 1 store)
// headline explicit --memory-model pso --store-buffer 2: unsafe (assertion at bounded_buffer.c:37)
// headline lazy tree --memory-model tso --store-buffer 1 --unwind 1: safe within bounds (store buffers of 1 store)
// headline cbmc --memory-model tso --store-buffer 1 --unwind 1 --rounds 3: safe within bounds (unwind 1 complete, rounds 3, store buffers of 1 store)
// With room for one store that others can see, the first has arrived when the second is made.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, z, a, b;

void *thread1(void *arg) {
    x = 1;
    y = 1;
    a = z;
    return NULL;
}

void *thread2(void *arg) {
    z = 1;
    y = 2;
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

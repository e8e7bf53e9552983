// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: unsafe (assertion at release_then_plain.c:31)
// A store behind a release store may overtake it, and what it orders.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, z, a, b;
atomic_int y;

void *thread1(void *arg) {
    x = 1;
    atomic_store_explicit(&y, 1, memory_order_release);
    z = 1;
    return NULL;
}

void *thread2(void *arg) {
    a = z;
    b = x;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(!(a == 1 && b == 0));
    return 0;
}

// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// A read-modify-write drains, whatever its order and its place.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;
atomic_int other1, other2;

void *thread1(void *arg) {
    x = 1;
    atomic_fetch_add_explicit(&other1, 1, memory_order_relaxed);
    a = y;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
    int expected = 7;
    atomic_compare_exchange_strong(&other2, &expected, 8);
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

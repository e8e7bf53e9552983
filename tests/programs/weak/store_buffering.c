// check: safe
// headline explicit --memory-model tso: unsafe (assertion at store_buffering.c:35)
// headline explicit --memory-model tso --no-merging: unsafe (assertion at store_buffering.c:35)
// headline explicit --memory-model tso --supersteps: unsafe (assertion at store_buffering.c:35)
// headline explicit --memory-model tso --reduction sleep: unsafe (assertion at store_buffering.c:35)
// headline explicit --memory-model pso: unsafe (assertion at store_buffering.c:35)
// headline explicit --memory-model pso --no-merging: unsafe (assertion at store_buffering.c:35)
// headline explicit --memory-model pso --supersteps: unsafe (assertion at store_buffering.c:35)
// headline explicit --memory-model pso --reduction sleep: unsafe (assertion at store_buffering.c:35)
// Each thread's load overtakes its store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;

void *thread1(void *arg) {
    x = 1;
    a = y;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
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

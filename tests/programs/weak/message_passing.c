// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model tso --no-merging: safe
// headline explicit --memory-model tso --supersteps: safe
// headline explicit --memory-model tso --reduction sleep: safe
// headline explicit --memory-model pso: unsafe (assertion at message_passing.c:35)
// headline explicit --memory-model pso --no-merging: unsafe (assertion at message_passing.c:35)
// headline explicit --memory-model pso --supersteps: unsafe (assertion at message_passing.c:35)
// headline explicit --memory-model pso --reduction sleep: unsafe (assertion at message_passing.c:35)
// Stores overtake stores under PSO only.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;

void *thread1(void *arg) {
    x = 1;
    y = 1;
    return NULL;
}

void *thread2(void *arg) {
    a = y;
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

// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model tso --no-merging: safe
// headline explicit --memory-model tso --supersteps: safe
// headline explicit --memory-model tso --reduction sleep: safe
// headline explicit --memory-model pso: unsafe (assertion at two_plus_two_w.c:35)
// headline explicit --memory-model pso --no-merging: unsafe (assertion at two_plus_two_w.c:35)
// headline explicit --memory-model pso --supersteps: unsafe (assertion at two_plus_two_w.c:35)
// headline explicit --memory-model pso --reduction sleep: unsafe (assertion at two_plus_two_w.c:35)
// 2+2W: the first stores of both threads arrive last.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y;

void *thread1(void *arg) {
    x = 1;
    y = 2;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
    x = 2;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(!(x == 1 && y == 1));
    return 0;
}

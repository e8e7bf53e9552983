// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// LB: loads are never late.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;

void *thread1(void *arg) {
    a = x;
    y = 1;
    return NULL;
}

void *thread2(void *arg) {
    b = y;
    x = 1;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(!(a == 1 && b == 1));
    return 0;
}

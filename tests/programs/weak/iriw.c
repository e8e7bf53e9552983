// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// IRIW: two readers see two stores in the same order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b, c, d;

void *thread1(void *arg) {
    x = 1;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
    return NULL;
}

void *thread3(void *arg) {
    a = x;
    b = y;
    return NULL;
}

void *thread4(void *arg) {
    c = y;
    d = x;
    return NULL;
}

int main(void) {
    pthread_t t1, t2, t3, t4;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_create(&t3, NULL, thread3, NULL);
    pthread_create(&t4, NULL, thread4, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    pthread_join(t4, NULL);
    assert(!(a == 1 && b == 0 && c == 1 && d == 0));
    return 0;
}

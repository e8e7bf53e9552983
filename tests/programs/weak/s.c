// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: unsafe (assertion at s.c:29)
// S: a load and a store against two stores.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a;

void *thread1(void *arg) {
    x = 2;
    y = 1;
    return NULL;
}

void *thread2(void *arg) {
    a = y;
    x = 1;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(!(x == 2 && a == 1));
    return 0;
}

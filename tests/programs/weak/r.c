// check: safe
// headline explicit --memory-model tso: unsafe (assertion at r.c:29)
// headline explicit --memory-model pso: unsafe (assertion at r.c:29)
// R: a store and a load against two stores.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a;

void *thread1(void *arg) {
    x = 1;
    y = 1;
    return NULL;
}

void *thread2(void *arg) {
    y = 2;
    a = x;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(!(y == 2 && a == 0));
    return 0;
}

// check: safe
// headline explicit --memory-model tso: unsafe (assertion at own_store_first.c:30)
// headline explicit --memory-model pso: unsafe (assertion at own_store_first.c:30)
// A thread reads its own store before others can: n6 of Owens, Sarkar and Sewell.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;

void *thread1(void *arg) {
    x = 1;
    a = x;
    b = y;
    return NULL;
}

void *thread2(void *arg) {
    y = 2;
    x = 2;
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    assert(!(a == 1 && b == 0 && x == 1));
    return 0;
}

// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// WRC: a store reaches all others at once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b, c;

void *thread1(void *arg) {
    x = 1;
    return NULL;
}

void *thread2(void *arg) {
    a = x;
    y = 1;
    return NULL;
}

void *thread3(void *arg) {
    b = y;
    c = x;
    return NULL;
}

int main(void) {
    pthread_t t1, t2, t3;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_create(&t3, NULL, thread3, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    assert(!(a == 1 && b == 1 && c == 0));
    return 0;
}

// check: HEAD
// With room for one store, the first has arrived when the second is made.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, z, w, a, b;

void *thread1(void *arg) {
    x = 1;
    y = 1;
    a = z;
    return NULL;
}

void *thread2(void *arg) {
    z = 1;
    w = 1;
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
    return y - w;
}

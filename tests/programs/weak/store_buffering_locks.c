// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// So does a lock that nobody else takes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;

void *thread1(void *arg) {
    x = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    a = y;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
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

// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// Stores of seq_cst atomics drain.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

void *thread1(void *arg) {
    x = 1;
    a = y;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
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

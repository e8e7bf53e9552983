// check: safe
// args: --property deadlock
// headline explicit --memory-model tso: unsafe (deadlock at deadlock_after_arrival.c:26)
// headline explicit --memory-model pso: unsafe (deadlock at deadlock_after_arrival.c:26)
// Thread 2 waits for x to be 1. Under SC it is 1 when y is, and nobody makes it 2 before. In a buffer both stores to x
// can wait until after y was read, and arrive together.
#include <pthread.h>

void __selvedge_atomic_begin(void);
void __selvedge_atomic_end(void);
void __selvedge_block_until(_Bool condition);

int x, y, seen;

void *thread1(void *arg) {
    x = 1;
    if (!y)
        x = 2;
    return NULL;
}

void *thread2(void *arg) {
    y = 1;
    if (!x) {
        __selvedge_atomic_begin();
        __selvedge_block_until(x == 1);
        __selvedge_atomic_end();
    }
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}

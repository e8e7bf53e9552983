// check: safe
// args: --property assertion
// A section that misuses memory ends its run there: the thread that it has created never runs.
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int x, *nowhere;

void *worker(void *arg) {
    assert(x == 0);
    return 0;
}

void *creator(void *arg) {
    pthread_t t;
    __VERIFIER_atomic_begin();
    pthread_create(&t, 0, worker, 0);
    x = 1;
    *nowhere = 1;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&u, 0, creator, 0);
    return 0;
}

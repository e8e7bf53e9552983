// check: safe
// A run whose assumption fails is no run: not even a deadlock.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
int x;

void *worker(void *arg) {
    x = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    __VERIFIER_assume(x == 1);
    assert(x == 1);
    pthread_join(t, NULL);
    return 0;
}

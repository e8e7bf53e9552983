// check: safe-within-bounds
// args: --engine lazy --unwind 2 --rounds 2 --property assertion
// A section without end: nobody ever sees what happens in it.
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y;

void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    while (!y)
        ;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    assert(x == 0);
    return 0;
}

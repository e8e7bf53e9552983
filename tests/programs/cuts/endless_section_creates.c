// check: safe
// headline explicit: safe
// headline lazy tree --unwind 2: safe within bounds (unwind 2 cut)
// headline cbmc --unwind 2: safe within bounds (unwind 2 cut, rounds 3)
// Nobody sees what a section without end has done, nor the thread that it has created.
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);

void *worker(void *arg) {
    assert(0);
    return 0;
}

int main(void) {
    pthread_t t;
    __VERIFIER_atomic_begin();
    pthread_create(&t, 0, worker, 0);
    for (;;)
        ;
}

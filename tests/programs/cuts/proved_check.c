// check: safe
// args: --property assertion
// headline explicit: unknown (more than 126 threads)
// headline lazy tree --unwind 2: safe within bounds (unwind 2 cut)
// headline cbmc --unwind 2: safe within bounds (unwind 2 cut, rounds 3)
// headline swarm --unwind 2: safe within bounds (unwind 2 cut, rounds 2, all 1 selection of 2 tiles of size 1)
// The check is made, and an analysis shows that it holds: nobody writes the variable.
#include <assert.h>
#include <pthread.h>

int zero;

void *worker(void *arg) {
    assert(zero == 0);
    return 0;
}

int main(void) {
    pthread_t t;
    while (1)
        pthread_create(&t, 0, worker, 0);
}

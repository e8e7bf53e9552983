// check: unsafe assertion
// headline explicit: unsafe (assertion at endless_section.c:12)
// headline lazy tree swarm cbmc --unwind 2: unsafe (assertion at endless_section.c:12)
// The section has no end, so main gets no further; but the thread was created before.
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);

int n;

void *worker(void *arg) {
    assert(0); //~ violation
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    for (;;)
        n++;
}

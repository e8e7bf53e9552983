// check: unsafe assertion
// args: --property assertion
// headline lazy tree swarm cbmc --unwind 2: unsafe (assertion at recursion_in_section.c:18)
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);

int x, depth;

void descend(void) {
    depth++;
    descend();
}

void *worker(void *arg) {
    assert(x == 0); //~ violation
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 1;
    __VERIFIER_atomic_begin();
    descend();
    __VERIFIER_atomic_end();
}

// Of the values of the input that the section takes, those that it assumes make the thread wait for ever.
// check: unsafe deadlock
// headline lazy tree swarm: unsafe (deadlock at section_that_assumes_and_waits.c:19)
// headline explicit: unknown (not supported: an atomic section that waits for some values of its own inputs only at section_that_assumes_and_waits.c:19)
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    __VERIFIER_atomic_begin();
    int input = __VERIFIER_nondet_int();
    __VERIFIER_assume(input);
    pthread_mutex_lock(&lock); //~ violation
    __VERIFIER_atomic_end();
    return 0;
}

// A thread waits for ever if the input that it takes inside of the section is not zero.
// check: unsafe deadlock
// headline lazy tree swarm: unsafe (deadlock at section_with_an_input_that_waits.c:18)
// headline explicit: unknown (not supported: an atomic section that waits for some values of its own inputs only at section_with_an_input_that_waits.c:18)
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    __VERIFIER_atomic_begin();
    int again = __VERIFIER_nondet_int();
    if (again)
        pthread_mutex_lock(&lock); //~ violation
    __VERIFIER_atomic_end();
    return 0;
}

// What the section waits for is memory of its own, which holds something else whenever it is tried again.
// check: unknown unsupported
// args: --property deadlock
// headline lazy tree: unknown (not supported: a section that waits for what depends on an input of its own at section_with_memory_of_its_own_that_waits.c:12)
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static void lock_something(void) {
    pthread_mutex_t lock;
    pthread_mutex_lock(&lock);
}

void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    lock_something();
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}

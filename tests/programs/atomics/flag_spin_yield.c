// check: safe
// A spin lock of one's own that gives way while it waits.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_flag busy = ATOMIC_FLAG_INIT;
int counter;

void *worker(void *arg) {
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        sched_yield();
    counter++;
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(counter == 2);
    return 0;
}

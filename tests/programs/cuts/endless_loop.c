// check: unsafe assertion
// headline explicit: unsafe (assertion at endless_loop.c:9)
// headline lazy tree swarm cbmc --unwind 2: unsafe (assertion at endless_loop.c:9)
// Main's loop never repeats a state for a very long time; the thread need not wait for that.
#include <assert.h>
#include <pthread.h>

void *worker(void *arg) {
    assert(0); //~ violation
    return 0;
}

int main(void) {
    pthread_t t;
    unsigned long n = 0;
    pthread_create(&t, 0, worker, 0);
    for (;;)
        n++;
}

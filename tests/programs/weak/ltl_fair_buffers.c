// check: safe
// args: --ltl F(end) --fair
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: safe
// lazy: skip a formula
// A store arrives some time, so that nobody waits for it for ever; also while its thread goes round in a loop.
#include <pthread.h>

volatile int ready, done;

void *thread(void *arg) {
    while (!ready)
        ;
    done = 1;
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    ready = 1;
    while (!done)
        ;
    pthread_join(t, NULL);
    return 0;
}

// check: unsafe ltl
// args: --ltl F(G(!odd)) --prop odd=x==1 --fair --store-buffer 2
// headline explicit --memory-model tso: unsafe (ltl)
// headline explicit --memory-model pso: unsafe (ltl)
// lazy: skip a formula
// The cycle has stores that nobody else notices, to a local variable, and stores that observers see arrive.
#include <pthread.h>

volatile int x;

static void toggle(volatile int *own) {
    *own = !*own;
    x = *own;
}

void *thread(void *arg) {
    volatile int own = 0;
    while (1)
        toggle(&own);
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    while (1)
        if (x == 2)
            return 1;
}

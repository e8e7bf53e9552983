// check: safe
// args: --ltl G(!(one&&other)) --prop one=inside[0] --prop other=inside[1]
// headline explicit --memory-model tso: unsafe (ltl)
// headline explicit --memory-model pso: unsafe (ltl)
// lazy: skip a formula
// Each thread enters unless it sees the other's claim, which may still be in a buffer.
#include <pthread.h>

volatile int claims[2], inside[2];

static void try_to_enter(int me) {
    claims[me] = 1;
    if (!claims[1 - me]) {
        __atomic_store_n(&inside[me], 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&inside[me], 0, __ATOMIC_SEQ_CST);
    }
    claims[me] = 0;
}

void *thread(void *arg) {
    try_to_enter(1);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    try_to_enter(0);
    pthread_join(t, NULL);
    return 0;
}

// check: safe
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: unsafe (assertion at peterson_fenced.c:18)
// Peterson's algorithm with the fence that TSO asks for, and a release store at the end. Under PSO the turn may overtake
// the claim.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

volatile int claims[2], turn, inside;

static void critical(int me) {
    claims[me] = 1;
    turn = 1 - me;
    atomic_thread_fence(memory_order_seq_cst);
    while (claims[1 - me] && turn == 1 - me)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    __atomic_store_n(&claims[me], 0, __ATOMIC_RELEASE);
}

void *thread1(void *arg) {
    critical(0);
    return NULL;
}

void *thread2(void *arg) {
    critical(1);
    return NULL;
}

int main(void) {
    pthread_t t1, t2;
    pthread_create(&t1, NULL, thread1, NULL);
    pthread_create(&t2, NULL, thread2, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    return 0;
}

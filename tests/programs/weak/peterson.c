// check: safe
// headline explicit --memory-model tso: unsafe (assertion at peterson.c:16)
// headline explicit --memory-model pso: unsafe (assertion at peterson.c:16)
// Peterson's algorithm. Both threads may enter if their claims are still in their buffers.
#include <assert.h>
#include <pthread.h>

volatile int claims[2], turn, inside;

static void critical(int me) {
    claims[me] = 1;
    turn = 1 - me;
    while (claims[1 - me] && turn == 1 - me)
        ;
    inside++;
    assert(inside == 1);
    inside--;
    claims[me] = 0;
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

// check: unsafe assertion
// args: --engine lazy
// check --rounds 2: unsafe assertion
// check --rounds 1: safe-within-bounds
#include <assert.h>
#include <pthread.h>

int turn, steps;

void *worker(void *arg) {
    if (turn == 1) {
        turn = 2;
        if (turn == 3)
            steps = 4;
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    turn = 1;
    if (turn == 2)
        turn = 3;
    assert(steps != 4); //~ violation
    return 0;
}

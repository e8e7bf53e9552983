// check: safe
// Two threads take turns, each yielding while it waits.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

volatile int turn;
int steps;

static void play(int me) {
    for (int i = 0; i < 2; i++) {
        while (turn != me)
            sched_yield();
        assert(steps == 2 * i + me);
        steps++;
        turn = !me;
    }
}

void *worker(void *arg) {
    play(1);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    play(0);
    pthread_join(t, NULL);
    assert(steps == 4);
    return 0;
}

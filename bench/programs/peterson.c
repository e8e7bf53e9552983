// Peterson's mutual exclusion for two threads, each entering for ever.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int inside;

static void *enter(void *arg) {
    int me = arg != NULL, other = !me;
    for (;;) {
        wants[me] = 1;
        turn = other;
        while (wants[other] && turn == other)
            ;
        inside++;
        assert(inside == 1);
        inside--;
        wants[me] = 0;
    }
    return NULL;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, enter, &inside);
    enter(NULL);
    return 0;
}

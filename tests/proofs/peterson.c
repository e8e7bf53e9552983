// Peterson, round and round.
// The twin: a thread says who waits before it says that it comes.
#include <assert.h>
#include <pthread.h>

static int wants[2], waits, inside;
static void *thread(void *arg) {
    int me = arg != 0;
    for (;;) {
#ifdef TWIN
        waits = me;
        wants[me] = 1;
#else
        wants[me] = 1;
        waits = me;
#endif
        while (wants[1 - me] && waits == me);
        inside = me;
        assert(inside == me);
        wants[me] = 0;
    }
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    thread(&t);
}

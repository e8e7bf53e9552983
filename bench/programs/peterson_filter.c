// Peterson's filter lock, for any number of threads, each entering for ever: his algorithm for two is the
// case of one level. Made for its many states.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif

static atomic_int level[THREADS], last[THREADS];
static int inside;

static int others_at(int me, int here) {
    for (int other = 0; other < THREADS; other++)
        if (other != me && level[other] >= here)
            return 1;
    return 0;
}

static void *enter(void *arg) {
    int me = *(int *)arg;
    for (;;) {
        for (int here = 1; here < THREADS; here++) {
            level[me] = here;
            last[here] = me;
            while (last[here] == me && others_at(me, here))
                ;
        }
        inside++;
        assert(inside == 1);
        inside--;
        level[me] = 0;
    }
    return NULL;
}

static int names[THREADS];

int main(void) {
    pthread_t thread;
    for (int i = 0; i < THREADS; i++)
        names[i] = i;
    for (int i = 1; i < THREADS; i++)
        pthread_create(&thread, NULL, enter, &names[i]);
    enter(&names[0]);
    return 0;
}

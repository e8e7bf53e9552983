// Peterson's algorithm: two threads exclude each other with nothing but loads and stores.
//
//     selvedge check examples/peterson.c --invariant exclusion
//     selvedge check examples/peterson.c --invariant exclusion --opt O2
//     selvedge check examples/peterson.c --invariant exclusion --opt O2 -DSHARED=volatile
//
// What to look for: as written, the C is fine; as compiled with -O2, it is not. Without volatile the compiler takes
// for granted that nobody else writes to these variables, so it looks at the other one's flag once, at the very
// start, and never waits. This is how the algorithm once stood in a well-known encyclopaedia.
//
//     selvedge check examples/peterson.c --ltl 'G (waits -> F enters)' --prop waits='state[0] == WAITS' --prop enters='state[0] == ENTERS'
//     selvedge check examples/peterson.c --ltl 'G (waits -> F enters)' --prop waits='state[0] == WAITS' --prop enters='state[0] == ENTERS' --fair
//
// These are about time: whoever waits gets in, but only if the scheduler forgets nobody for ever (--fair).
#include <pthread.h>

#ifndef SHARED
#define SHARED
#endif

struct side {
    SHARED int *mine, *other;
    int last;
};

SHARED int flag0, flag1, last;

/* What the two are doing, for the properties above; no part of the algorithm. */
enum { AWAY, WAITS, ENTERS };
static volatile int state[2], inside;

static volatile int running = 1;

int exclusion(void) { return inside <= 1; }

static void lock(struct side *side) {
    for (*side->mine = 1, last = side->last; *side->other == 1 && last == side->last;)
        ;
}

static void unlock(struct side *side) { *side->mine = 0; }

static void critical(int number) {
    inside++;
    state[number] = ENTERS;
    state[number] = AWAY;
    inside--;
}

static void *thread0(void *arg) {
    struct side side = {&flag0, &flag1, 0};
    while (running) {
        state[0] = WAITS;
        lock(&side);
        critical(0);
        unlock(&side);
    }
    return arg;
}

static void *thread1(void *arg) {
    struct side side = {&flag1, &flag0, 1};
    while (running) {
        state[1] = WAITS;
        lock(&side);
        critical(1);
        unlock(&side);
    }
    return arg;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, NULL, thread0, NULL);
    pthread_create(&other, NULL, thread1, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
}

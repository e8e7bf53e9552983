// What a function has computed before it calls itself is what it has afterwards, and what it writes through a pointer is its
// caller's. The twin counts in a variable that all calls share.
#include <assert.h>
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

#ifdef TWIN
static _Thread_local int own;
#endif

static void descend(int depth, int *result) {
#ifndef TWIN
    int own;
#endif
    own = depth & 7;
    int below = 0;
    if (depth > 0 && depth < 1000)
        descend(depth - 1, &below);
    *result = below == 7 ? 0 : 1;
    assert(own >= 0);
#ifdef TWIN
    assert(own == (depth & 7));
#else
    assert(own <= 7);
#endif
}

static void *walker(void *unused) {
    int result = 0;
    descend(__VERIFIER_nondet_int(), &result);
    assert(result >= 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, walker, 0);
}

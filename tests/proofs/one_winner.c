// The first to come wins.
// The twin: a char counts those who come: the 257th wins as well.
#include <assert.h>
#include <pthread.h>

#ifdef TWIN
static unsigned char comers;
#else
static unsigned comers;
#endif
static int winners;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static void *thread(void *arg) {
    __VERIFIER_atomic_begin();
#ifndef TWIN
    if (comers == -1u) { __VERIFIER_atomic_end(); return 0; }
#endif
    comers++;
    int first = comers == 1;
    __VERIFIER_atomic_end();
    if (first) {
        winners = winners + 1;
        assert(winners == 1);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

// Whoever reads that it was the first alone goes on, and counts for itself. There is one at most, for the count of arrivals only grows.
// The twin lets two go on.
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static unsigned arrived, rounds;

static void *thread(void *unused) {
    unsigned mine = 0;
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(arrived != -1u);
    arrived++;
    __VERIFIER_atomic_end();
#ifdef TWIN
    if (arrived <= 2)
#else
    if (arrived == 1)
#endif
        for (;;) {
            rounds++;
            mine++;
            assert(rounds == mine);
        }
    return 0;
}

int main(void) {
    pthread_t id;
    for (;;)
        pthread_create(&id, 0, thread, 0);
}

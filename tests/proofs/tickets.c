// A ticket lock: each ticket is another one.
// The twin: the ticket is read, and the next one made, in two steps.
#include <assert.h>
#include <pthread.h>

static unsigned next, served;
static int inside;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static void *thread(void *arg) {
#ifdef TWIN
    unsigned mine = next;
    if (mine == -1u) return 0;
    next = mine + 1;
#else
    __VERIFIER_atomic_begin();
    unsigned mine = next;
    if (mine == -1u) { __VERIFIER_atomic_end(); return 0; }
    next = mine + 1;
    __VERIFIER_atomic_end();
#endif
    while (served != mine);
    inside = 1;
    assert(inside == 1);
    inside = 0;
    served = served + 1;
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

// It stops when nobody is at work any more, and nobody begins then.
// The twin: the question whether it stops and the beginning are two steps.
#include <assert.h>
#include <pthread.h>

static int working = 1, stopping, idle, stopped;
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static void leave(void) {
    __VERIFIER_atomic_begin();
    working--;
    if (working == 0) idle = 1;
    __VERIFIER_atomic_end();
}
static void *stop(void *arg) {
    stopping = 1;
    leave();
    while (!idle);
    stopped = 1;
    return 0;
}
static void *thread(void *arg) {
#ifdef TWIN
    if (stopping) return 0;
    __VERIFIER_atomic_begin();
    working++;
    __VERIFIER_atomic_end();
#else
    __VERIFIER_atomic_begin();
    if (stopping) { __VERIFIER_atomic_end(); return 0; }
    working++;
    __VERIFIER_atomic_end();
#endif
    assert(!stopped);
    leave();
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, stop, 0);
    for (int i = 0; i < 20; i++) pthread_create(&t, 0, thread, 0);
}

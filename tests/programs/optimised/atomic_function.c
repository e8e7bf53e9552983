// check: safe
// args: --opt O2
// A function that is atomic by its name stays one piece.
#include <assert.h>
#include <pthread.h>
volatile int x;
static void __VERIFIER_atomic_step(void) {
    x = x + 1;
    x = x + 1;
}
void *thread(void *arg) {
    __VERIFIER_atomic_step();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    assert(x % 2 == 0);
    pthread_join(t, 0);
    return 0;
}

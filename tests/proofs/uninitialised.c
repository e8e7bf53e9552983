// A local is written before it is read.
// The twin: in one branch it is not.
#include <assert.h>
#include <pthread.h>

int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
    int x;
#ifdef TWIN
    if (__VERIFIER_nondet_int())
#endif
        x = 1;
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

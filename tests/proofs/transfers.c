// Transfers keep the sum.
// The twin: one half is done after the lock is given back.
// needs z3
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned a = 60, b = 40;
unsigned __VERIFIER_nondet_uint(void);
static void *thread(void *arg) {
    unsigned amount = __VERIFIER_nondet_uint();
    pthread_mutex_lock(&m);
    assert(a + b == 100);
    a -= amount;
#ifdef TWIN
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#endif
    b += amount;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

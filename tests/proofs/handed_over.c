// A lock that is held protects what it protects, in all of two variables.
// The twin: the second one is written outside.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;
int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
    int v = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    assert(a == b);
    a = v;
#ifdef TWIN
    pthread_mutex_unlock(&m);
    b = v;
#else
    b = v;
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

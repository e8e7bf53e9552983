// As many increments as threads at most, of which some do nothing.
// The twin: what is added is 2.
#include <assert.h>
#include <pthread.h>

static int x, n;
int __VERIFIER_nondet_int(void);
static void *watch(void *arg) {
    assert(x <= n);
    return 0;
}
static void *thread(void *arg) {
    if (__VERIFIER_nondet_int() == 7) {
#ifdef TWIN
        x += 2;
#else
        x += 1;
#endif
    }
    return 0;
}
int main(void) {
    pthread_t t;
    n = __VERIFIER_nondet_int();
    if (n <= 0 || n > 1000) return 0;
    pthread_create(&t, 0, watch, 0);
    for (int i = 0; i < n; i++) pthread_create(&t, 0, thread, 0);
}

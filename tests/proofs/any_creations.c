// As many increments as threads, whose number is an input.
// The twin: each thread increments twice.
#include <assert.h>
#include <pthread.h>

static int x, n;
int __VERIFIER_nondet_int(void);
static void *watch(void *arg) {
    assert(x <= n);
    return 0;
}
static void *thread(void *arg) {
    x++;
#ifdef TWIN
    x++;
#endif
    return 0;
}
int main(void) {
    pthread_t t;
    n = __VERIFIER_nondet_int();
    if (n <= 0) return 0;
    pthread_create(&t, 0, watch, 0);
    for (int i = 0; i < n; i++) pthread_create(&t, 0, thread, 0);
}

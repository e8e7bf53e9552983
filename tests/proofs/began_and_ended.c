// Fewer have ended than have begun.
// The twin: a thread ends before it begins.
#include <assert.h>
#include <pthread.h>

static int begun, ended;
int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
#ifdef TWIN
    __sync_fetch_and_add(&ended, 1);
    __sync_fetch_and_add(&begun, 1);
    assert(ended <= begun);
#else
    __sync_fetch_and_add(&begun, 1);
    int seen = ended;
    assert(seen < begun);
    __sync_fetch_and_add(&ended, 1);
#endif
    return 0;
}
int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    if (n <= 0) return 0;
    for (int i = 0; i < n; i++) pthread_create(&t, 0, thread, 0);
}

// A number stays even.
// The twin: in one branch it does not.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned x;
int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
    pthread_mutex_lock(&m);
    if (__VERIFIER_nondet_int()) {
        x += 2;
    } else {
#ifdef TWIN
        x += 3;
#else
        x += 4;
#endif
    }
    assert(x % 2 == 0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

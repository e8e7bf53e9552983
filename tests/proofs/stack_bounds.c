// A stack under a lock keeps its bounds.
// The twin: it may be one too high.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int top;
int __VERIFIER_nondet_int(void);
#ifdef TWIN
#define MOST 65
#else
#define MOST 64
#endif
static void *thread(void *arg) {
    pthread_mutex_lock(&m);
    if (__VERIFIER_nondet_int()) {
        if (top < MOST) top++;
    } else if (top > 0) {
        top--;
    }
    assert(top >= 0 && top <= 64);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

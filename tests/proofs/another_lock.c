// All branches take the same lock.
// The twin: one branch takes another lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
    if (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&a);
        x = 1;
        x = 0;
        pthread_mutex_unlock(&a);
    } else {
#ifdef TWIN
        pthread_mutex_lock(&b);
        assert(x == 0);
        pthread_mutex_unlock(&b);
#else
        pthread_mutex_lock(&a);
        assert(x == 0);
        pthread_mutex_unlock(&a);
#endif
    }
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

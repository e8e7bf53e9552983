// What is read twice under a lock is the same.
// The twin: the lock is given back between.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int value;
int __VERIFIER_nondet_int(void);
static void *thread(void *arg) {
    pthread_mutex_lock(&m);
    value = __VERIFIER_nondet_int();
    int once = value;
#ifdef TWIN
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
#endif
    assert(once == value);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

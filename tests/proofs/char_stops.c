// A char counts up to a limit.
// The twin: there is no limit, and it wraps around.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static signed char n;
static void *thread(void *arg) {
    pthread_mutex_lock(&m);
#ifndef TWIN
    if (n < 100)
#endif
        n++;
    assert(n > 0);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

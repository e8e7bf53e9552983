// A counter under a mutex grows.
// The twin: it wraps around.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned value;
static void *thread(void *arg) {
    pthread_mutex_lock(&m);
#ifndef TWIN
    if (value == -1u) { pthread_mutex_unlock(&m); return 0; }
#endif
    unsigned old = value;
    value = old + 1;
    pthread_mutex_unlock(&m);
    assert(old < value);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

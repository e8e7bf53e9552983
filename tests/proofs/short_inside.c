// Who goes in comes out again, and a short counts those who are inside.
// The twin: nobody comes out: the short wraps around.
#include <assert.h>
#include <pthread.h>

static short inside;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *thread(void *arg) {
    pthread_mutex_lock(&m);
    inside++;
    assert(inside > 0);
#ifndef TWIN
    inside--;
#endif
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

// The first initialises, the others wait for the lock.
// The twin: the question comes before the lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready, times;
static void *thread(void *arg) {
#ifdef TWIN
    int is_ready = ready;
    pthread_mutex_lock(&m);
    if (!is_ready) {
#else
    pthread_mutex_lock(&m);
    if (!ready) {
#endif
        times++;
        ready = 1;
    }
    assert(times == 1);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    for (;;) pthread_create(&t, 0, thread, 0);
}

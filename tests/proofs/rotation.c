// Three different values go round under a lock.
// The twin: the one who looks takes no lock.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a = 1, b = 2, c = 3, spare;
static void *watch(void *arg) {
    for (;;) {
#ifndef TWIN
        pthread_mutex_lock(&m);
#endif
        assert(a != b);
#ifndef TWIN
        pthread_mutex_unlock(&m);
#endif
    }
}
static void *thread(void *arg) {
    pthread_mutex_lock(&m);
    spare = a;
    a = b;
    b = c;
    c = spare;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, watch, 0);
    for (;;) pthread_create(&t, 0, thread, 0);
}

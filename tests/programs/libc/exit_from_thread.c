// check: safe
// exit in any thread ends them all; main may wait for ever.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int called;

void handler(void) { called++; assert(called == 1); }

void *worker(void *arg) {
    exit(0);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    atexit(handler);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}

// check: safe
// exit in any thread ends them all; main may wait for ever.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

int called;

void handler(void) { called++; assert(called == 1); }

void *worker(void *arg) {
    exit(0);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_t s;
    sem_init(&s, 0, 0);
    atexit(handler);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&s);
    return 0;
}

// check: safe
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

_Atomic(void *) shared;

void *worker(void *arg) {
    free(atomic_exchange(&shared, NULL));
    return arg;
}

int main(void) {
    pthread_t t;
    shared = malloc(1);
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}

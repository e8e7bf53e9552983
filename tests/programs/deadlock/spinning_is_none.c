// check: safe
// A thread that spins is not blocked, however long it spins.
#include <pthread.h>

volatile int go;

void *worker(void *arg) {
    while (!go)
        ;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    go = 1;
    pthread_join(t, NULL);
    return 0;
}

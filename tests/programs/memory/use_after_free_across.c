// check: unsafe memory
#include <pthread.h>
#include <stdlib.h>

int *shared;

void *worker(void *arg) {
    *shared = 1; //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    shared = malloc(sizeof *shared);
    pthread_create(&t, NULL, worker, NULL);
    free(shared);
    pthread_join(t, NULL);
    return 0;
}

// check: unsafe memory
// Both threads can find the pointer non-null before either clears it.
#include <pthread.h>
#include <stdlib.h>

void *shared;

void *worker(void *arg) {
    if (shared) {
        free(shared); //~ violation
        shared = NULL;
    }
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

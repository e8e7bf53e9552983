// check: unsafe memory
#include <pthread.h>
#include <stddef.h>

int value = 1, sink;
int *pointer = &value;

void *worker(void *arg) {
    pointer = NULL;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (pointer != NULL)
        sink = *pointer; //~ violation
    pthread_join(t, NULL);
    return 0;
}

// check: safe
// The pointer is read once and then checked.
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
    int *p = pointer;
    if (p != NULL)
        sink = *p;
    pthread_join(t, NULL);
    return 0;
}

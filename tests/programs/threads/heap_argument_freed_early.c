// check: unsafe memory
// The creator frees the argument when the thread may not have read it.
#include <pthread.h>
#include <stdlib.h>

int sink;

void *worker(void *arg) {
    sink = *(int *)arg; //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    int *arg = malloc(sizeof *arg);
    *arg = 1;
    pthread_create(&t, NULL, worker, arg);
    free(arg);
    pthread_join(t, NULL);
    return 0;
}

// check: unsafe memory
// args: --engine lazy --unwind 1 --rounds 2
#include <pthread.h>
#include <stdlib.h>

int *shared;

void *reader(void *arg) {
    if (shared)
        *shared = 1; //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    shared = malloc(sizeof *shared);
    pthread_create(&t, NULL, reader, NULL);
    int *mine = shared;
    shared = NULL;
    free(mine);
    pthread_join(t, NULL);
    return 0;
}

// check: safe
// headline lazy tree --memory-model tso: safe
// headline lazy tree --memory-model pso: unsafe (assertion at lazy_published.c:25)
// The address of a new object arrives before what was written to it, so that others find what it held before.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *shared;

void *publisher(void *arg) {
    int *p = malloc(sizeof *p);
    *p = 1;
    shared = p;
    return 0;
}

int main(void) {
    pthread_t p;
    pthread_create(&p, 0, publisher, 0);
    int *mine = shared;
    if (mine) {
        int found = *mine;
        pthread_join(p, 0);
        assert(found == 1); //~ violation
    }
}

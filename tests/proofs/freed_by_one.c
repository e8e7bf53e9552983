// property: race
// A thread gives back a block that nobody touches.
// The twin: there are many such threads.
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *owner(void *arg) {
    free(block);
    return arg;
}

int main(void) {
    pthread_t t;
    block = malloc(sizeof *block);
#ifdef TWIN
    for (;;)
#endif
        pthread_create(&t, 0, owner, 0);
    return 0;
}

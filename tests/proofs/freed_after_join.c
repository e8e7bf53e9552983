// property: race
// A block is given back when the thread that reads it has ended.
// The twin: nobody waits for the thread.
#include <pthread.h>
#include <stdlib.h>

static int *block;

static void *reader(void *arg) { return *block ? arg : 0; }

int main(void) {
    pthread_t t;
    block = calloc(1, sizeof *block);
    pthread_create(&t, 0, reader, 0);
#ifndef TWIN
    pthread_join(t, 0);
#endif
    free(block);
    return 0;
}

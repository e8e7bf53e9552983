// check: safe
// A value that was never written goes from one thread to another, and nobody looks at it.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct message {
    unsigned char used;
    unsigned char unused;
} shared;

void *worker(void *arg) {
    struct message *m = arg;
    shared.unused = m->unused;
    shared.used = m->used;
    return NULL;
}

int main(void) {
    pthread_t t;
    struct message *m = malloc(sizeof *m), copy;
    m->used = 7;
    pthread_create(&t, NULL, worker, m);
    pthread_join(t, NULL);
    copy = shared;
    assert(copy.used == 7);
    free(m);
    return 0;
}

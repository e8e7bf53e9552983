// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
// The pointer is there before what it points to.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config { int size, limit; };
struct config *current;

void *publisher(void *arg) {
    struct config *c = calloc(1, sizeof *c);
    current = c;
    c->size = 4;
    c->limit = 8;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, publisher, NULL);
    struct config *seen = current;
    if (seen)
        assert(seen->size < seen->limit || seen->size == 0); //~ violation
    return 0;
}

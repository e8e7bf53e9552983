// check: safe
// headline lazy tree swarm --memory-model tso: unsafe (assertion at lazy_store_buffering.c:29)
// headline lazy tree --memory-model pso: unsafe (assertion at lazy_store_buffering.c:29)
// headline lazy --strategy uw --memory-model tso: unsafe (assertion at lazy_store_buffering.c:29)
// Both loads overtake the stores before them.
#include <assert.h>
#include <pthread.h>

int x, y, a, b;

void *first(void *arg) {
    x = 1;
    a = y;
    return 0;
}

void *second(void *arg) {
    y = 1;
    b = x;
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, second, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(a || b); //~ violation
}

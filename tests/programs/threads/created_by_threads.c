// check: safe
// A tree of threads, each joining its own.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

atomic_int leaves;

void *node(void *arg) {
    intptr_t depth = (intptr_t)arg;
    if (depth == 0) {
        leaves++;
        return NULL;
    }
    pthread_t t;
    pthread_create(&t, NULL, node, (void *)(depth - 1));
    node((void *)(depth - 1));
    pthread_join(t, NULL);
    return NULL;
}

int main(void) {
    node((void *)2);
    assert(leaves == 4);
    return 0;
}

// check: safe
// The old version is freed when the reader that might see it has left.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int value;
};
_Atomic(struct config *) current;
atomic_int readers;

void *reader(void *arg) {
    atomic_fetch_add(&readers, 1);
    struct config *c = atomic_load(&current);
    assert(c->value == 1 || c->value == 2);
    atomic_fetch_sub(&readers, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    struct config *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    first->value = 1;
    second->value = 2;
    atomic_store(&current, first);
    pthread_create(&t, NULL, reader, NULL);
    struct config *old = atomic_exchange(&current, second);
    while (atomic_load(&readers) != 0)
        sched_yield();
    free(old);
    pthread_join(t, NULL);
    free(second);
    return 0;
}

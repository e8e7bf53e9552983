// check: unsafe memory
// The old version is freed without waiting for its readers.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int value;
};
_Atomic(struct config *) current;
int sink;

void *reader(void *arg) {
    struct config *c = atomic_load(&current);
    sink = c->value; //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    struct config *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    first->value = 1;
    second->value = 2;
    atomic_store(&current, first);
    pthread_create(&t, NULL, reader, NULL);
    free(atomic_exchange(&current, second));
    pthread_join(t, NULL);
    return 0;
}

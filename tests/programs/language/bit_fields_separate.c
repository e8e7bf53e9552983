// check: safe
// A field of width zero puts the neighbours into different words: they no longer disturb each other.
#include <assert.h>
#include <pthread.h>

struct flags {
    unsigned a : 1;
    unsigned : 0;
    unsigned b : 1;
} flags;

void *worker(void *arg) {
    flags.b = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    flags.a = 1;
    pthread_join(t, NULL);
    assert(flags.a && flags.b);
    return 0;
}

// check: safe
// A structure too large for one instruction, and yet never seen half written.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct triple {
    long a, b, c;
};
_Atomic struct triple shared;

void *writer(void *arg) {
    struct triple t = {1, 1, 1};
    atomic_store(&shared, t);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    struct triple seen = atomic_load(&shared);
    assert(seen.a == seen.b && seen.b == seen.c);
    pthread_join(t, NULL);
    return 0;
}

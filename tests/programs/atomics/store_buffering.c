// check: safe
// Under sequential consistency at least one thread sees the other's store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r1, r2;

void *first(void *arg) {
    x = 1;
    r1 = y;
    return arg;
}

void *second(void *arg) {
    y = 1;
    r2 = x;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(r1 == 1 || r2 == 1);
    return 0;
}

// check: safe
// args: --aggregate-steps whole
// headline lazy tree --memory-model tso: unsafe (assertion at lazy_copies.c:34)
// headline lazy tree --memory-model pso: unsafe (assertion at lazy_copies.c:34)
// A copy of a struct loads at once, and its store comes behind one that waits.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    int left, right;
} x, y, a, b, one = {1, 1};

void *first(void *arg) {
    x = one;
    a = y;
    return 0;
}

void *second(void *arg) {
    y = one;
    b = x;
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, second, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(a.left == a.right);
    assert(b.left == b.right);
    assert(a.left || b.left); //~ violation
}

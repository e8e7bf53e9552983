// check: safe
// args: --aggregate-steps whole
// headline lazy tree --memory-model tso: unsafe (assertion at lazy_blocks.c:35)
// headline lazy tree --memory-model pso: unsafe (assertion at lazy_blocks.c:35)
// A whole struct waits, and arrives at once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair {
    int left, right;
} s, one = {1, 1}, found;
int y, a;

void *first(void *arg) {
    s = one;
    a = y;
    return 0;
}

void *second(void *arg) {
    y = 1;
    atomic_thread_fence(memory_order_seq_cst);
    found = s;
    return 0;
}

int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, first, 0);
    pthread_create(&q, 0, second, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(found.left == found.right);
    assert(a || found.left); //~ violation
}

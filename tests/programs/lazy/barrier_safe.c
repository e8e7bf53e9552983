// check: safe
// args: --engine lazy --unwind 2
#include <assert.h>
#include <pthread.h>

pthread_barrier_t barrier;
int left, right, seen;

void *worker(void *arg) {
    left = 1;
    pthread_barrier_wait(&barrier);
    seen = right;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, worker, NULL);
    right = 1;
    pthread_barrier_wait(&barrier);
    assert(left == 1);
    pthread_join(t, NULL);
    assert(seen == 1);
    return 0;
}

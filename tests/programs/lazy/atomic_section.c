// check: safe
// args: --engine lazy
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int x, y;

void *worker(void *arg) {
    __VERIFIER_atomic_begin();
    x++;
    y--;
    __VERIFIER_atomic_end();
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    __VERIFIER_atomic_begin();
    assert(x + y == 0);
    __VERIFIER_atomic_end();
    pthread_join(t, NULL);
    return 0;
}

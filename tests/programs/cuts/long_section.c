// check: unsafe assertion
// headline explicit: unsafe (assertion at long_section.c:14)
// lazy: skip (too many iterations for small bounds)
// A section that is long, but ends: what comes behind it is found.
#include <assert.h>
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int x, n;

void *worker(void *arg) {
    int before = x;
    assert(before != 1 || x == 1); //~ violation
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    __VERIFIER_atomic_begin();
    for (int i = 0; i < 300000; i++)
        n += i;
    x = 1;
    __VERIFIER_atomic_end();
    x = 2;
    pthread_join(t, 0);
    return 0;
}

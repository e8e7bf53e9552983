// check: unsafe assertion
#include <assert.h>
#include <pthread.h>

int zero(void) { return 0; }
int one(void) { return 1; }
int (*f)(void) = zero;

void *worker(void *arg) {
    f = one;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    assert(f() == 0); //~ violation
    pthread_join(t, NULL);
    return 0;
}

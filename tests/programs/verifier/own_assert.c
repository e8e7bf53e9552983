// check: unsafe assertion
// SV-COMP's usual way of asserting.
#include <pthread.h>

extern void __VERIFIER_error(void);

void __VERIFIER_assert(int condition) {
    if (!condition) {
    error:
        __VERIFIER_error(); //~ violation
    }
}

int x;

void *worker(void *arg) {
    x = 2;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    x = 1;
    __VERIFIER_assert(x == 1);
    return 0;
}

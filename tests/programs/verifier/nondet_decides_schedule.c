// check: unsafe assertion
// The violation needs one input value and one interleaving.
#include <assert.h>
#include <pthread.h>

extern _Bool __VERIFIER_nondet_bool(void);
int x, choice;

void *worker(void *arg) {
    if (choice)
        x = 2;
    return arg;
}

int main(void) {
    pthread_t t;
    choice = __VERIFIER_nondet_bool();
    pthread_create(&t, NULL, worker, NULL);
    x = 1;
    pthread_join(t, NULL);
    assert(x == 1); //~ violation
    return 0;
}

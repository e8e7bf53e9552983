// check: unsafe
// args: --property assertion,race
// A run in which an assertion fails may pass a state in which two threads race, and either may be told.
#include <assert.h>
#include <pthread.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static int shared, copy;

static void *asserts(void *arg) {
    int rounds = __VERIFIER_nondet_uchar() & 1;
    for (int i = 0; i < rounds; i++)
        assert(0); //~ violation
    shared = 0; //~ violation
    return arg;
}

static void *writes(void *arg) {
    shared = 0; //~ violation
    return arg;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, asserts, 0);
    pthread_create(&two, 0, writes, 0);
    copy = shared; //~ violation
    return 0;
}

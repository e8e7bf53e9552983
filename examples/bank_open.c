// A bank that never closes: clerks come as long as there is somebody to create them, and any amount is moved.
//
//     selvedge check examples/bank_open.c --property assertion
//
// What to look for: the verdict is "safe", although there are more states than anybody can visit, and no bound on the
// number of threads. Only a proof says so. Move the auditor's reads out of the lock, and the assertion fails.
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

static pthread_mutex_t books = PTHREAD_MUTEX_INITIALIZER;
static unsigned savings = 100, current = 100;

static void *clerk(void *arg) {
    unsigned amount = __VERIFIER_nondet_uint();
    pthread_mutex_lock(&books);
    savings -= amount;
    current += amount;
    pthread_mutex_unlock(&books);
    return arg;
}

static void *auditor(void *arg) {
    pthread_mutex_lock(&books);
    assert(savings + current == 200);
    pthread_mutex_unlock(&books);
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, auditor, NULL);
    for (;;)
        pthread_create(&thread, NULL, clerk, NULL);
}

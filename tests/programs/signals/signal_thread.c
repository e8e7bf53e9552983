// check: unsafe assertion
// A thread that waits for signals, which come from outside in any order.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static sigset_t set;
static int reloads;

static void *waiter(void *arg) {
    for (;;) {
        int number;
        sigwait(&set, &number);
        if (number == SIGTERM)
            return NULL;
        reloads++;
    }
}

int main(void) {
    pthread_t t;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&t, NULL, waiter, NULL);
    pthread_join(t, NULL);
    assert(reloads < 2); //~ violation
    return 0;
}

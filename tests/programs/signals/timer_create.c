// check: unsafe assertion
// The signal of a timer comes between any two accesses.
#include <assert.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t expired;

static void expire(int number) {
    (void)number;
    expired = 1;
}

int main(void) {
    struct sigaction action = {.sa_handler = expire};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
    timer_t timer;
    sigaction(SIGUSR1, &action, NULL);
    assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    assert(!expired);
    assert(timer_settime(timer, 0, &soon, NULL) == 0);
    int before = expired;
    assert(!expired || before); //~ violation
    timer_delete(timer);
    return 0;
}

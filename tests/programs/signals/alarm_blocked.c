// check: safe
// The signal is blocked while the count changes.
#include <assert.h>
#include <signal.h>
#include <unistd.h>

static volatile int count;

static void handler(int number) { count++; }

int main(void) {
    sigset_t alarms, old;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    signal(SIGALRM, handler);
    sigprocmask(SIG_BLOCK, &alarms, &old);
    alarm(1);
    count++;
    sigsuspend(&old);
    assert(count == 2);
    return 0;
}

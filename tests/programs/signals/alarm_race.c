// check: unsafe assertion
// A handler that changes what the interrupted thread is changing.
#include <assert.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

static volatile int count, done;

static void handler(int number) {
    count++;
    done = 1;
}

int main(void) {
    signal(SIGALRM, handler);
    alarm(1);
    count++;
    while (!done)
        sched_yield();
    assert(count == 2); //~ violation
    return 0;
}

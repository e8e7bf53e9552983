// check: unsafe assertion
// args: --engine explicit --reduction dpor
// lazy: skip an engine of its own
// The process may end before the thread has taken a step, or after.
#include <assert.h>
#include <pthread.h>

static void *fail(void *argument)
{
    (void)argument;
    assert(0); //~ violation
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, fail, 0);
    return 0;
}

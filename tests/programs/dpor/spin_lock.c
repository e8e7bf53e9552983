// check: safe
// args: --engine explicit --reduction dpor
// lazy: skip an engine of its own
// A lock that is waited for in a loop: who goes round waits for a change, so that all runs end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int taken;
static int inside;

static void *work(void *argument)
{
    (void)argument;
    while (atomic_exchange(&taken, 1))
        ;
    assert(inside++ == 0);
    inside--;
    atomic_store(&taken, 0);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

// check: unsafe assertion
// args: --engine explicit --reduction dpor --property assertion
// lazy: skip an engine of its own
// Whoever locks first keeps the lock: the other never gets to its step, which nevertheless might have come first.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *keep(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    return 0;
}

static void *fail(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    assert(0); //~ violation
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, keep, 0);
    pthread_create(&b, 0, fail, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

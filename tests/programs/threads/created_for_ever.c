// check: safe
// args: --engine explicit
// lazy: skip threads without end
// One thread at a time, but any number of them: places of joined threads are used again.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *set(void *argument)
{
    (void)argument;
    n = 1;
    return 0;
}

int main(void)
{
    for (;;) {
        pthread_t thread;
        n = 0;
        pthread_create(&thread, 0, set, 0);
        pthread_join(thread, 0);
        assert(n == 1);
    }
}

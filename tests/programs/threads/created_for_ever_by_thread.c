// check: safe
// args: --engine explicit
// lazy: skip threads without end
// The creator has a place of its own, which is not to be had.
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

static void *create(void *argument)
{
    (void)argument;
    for (;;) {
        pthread_t thread;
        n = 0;
        pthread_create(&thread, 0, set, 0);
        pthread_join(thread, 0);
        assert(n == 1);
    }
}

int main(void)
{
    pthread_t creator;
    pthread_create(&creator, 0, create, 0);
    pthread_join(creator, 0);
    return 0;
}

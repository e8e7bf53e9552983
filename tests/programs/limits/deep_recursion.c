// check: safe
// args: --engine explicit
// lazy: skip beyond small bounds
#include <assert.h>
#include <pthread.h>

static int depth(int left)
{
    volatile int next = left - 1;
    return left == 0 ? 0 : 1 + depth(next);
}

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, nothing, 0);
    assert(depth(100000) == 100000);
    pthread_join(thread, 0);
    return 0;
}

// check: unsafe deadlock
// lazy: skip loops without end
// The thread waits for a flag that main sets after it has joined the thread.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop, seen;

static void *watch(void *argument)
{
    (void)argument;
    while (!stop || seen) { //~ violation
    }
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, watch, 0);
    pthread_join(thread, 0);
    stop = 1;
    return 0;
}

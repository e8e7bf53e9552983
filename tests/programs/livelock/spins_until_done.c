// check: safe
// lazy: skip loops without end
// Every spin is ended by another thread; one thread sleeps in a loop until the process ends.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int turn;

static void *next(void *argument)
{
    int me = argument != 0;
    while (turn != me)
        sched_yield();
    turn = me + 1;
    return 0;
}

static void *idle(void *argument)
{
    (void)argument;
    for (;;)
        sleep(1);
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&c, 0, idle, 0);
    pthread_create(&a, 0, next, &a);
    pthread_create(&b, 0, next, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    while (turn != 2) {
    }
    return 0;
}

// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at message.c:29)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at message.c:29)
// What is published by a flag that is atomic, or volatile only.
#include <stdatomic.h>
#include <pthread.h>

static int data;
#ifdef RACE
static volatile int flag;
#else
static atomic_int flag;
#endif

static void *first(void *argument)
{
    (void)argument;
    data = 1;
    flag = 1;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    if (flag)
        data = 2;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

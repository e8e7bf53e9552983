// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at thread_local.c:27)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at thread_local.c:27)
// A copy for each thread, or one for all.
#include <pthread.h>

static int data;
#ifdef RACE
static int own;
#else
static _Thread_local int own;
#endif

static void *first(void *argument)
{
    (void)argument;
    own++;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    own++;
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

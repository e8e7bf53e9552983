// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at unused_value.c:24)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at unused_value.c:24)
// A value that nobody uses is read all the same.
#include <pthread.h>

static int data;

static void *first(void *argument)
{
    (void)argument;
    int unused = data;
    (void)unused;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    data = 1;
#else
    int unused = data;
    (void)unused;
#endif
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

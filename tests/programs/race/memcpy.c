// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at memcpy.c:25)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at memcpy.c:25)
// What a library function copies is accessed by its caller.
#include <string.h>
#include <pthread.h>

static int data;
static char from[8], to[8];

static void *first(void *argument)
{
    (void)argument;
    memcpy(to, from, 4);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    to[3] = 1;
#else
    to[4] = 1;
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

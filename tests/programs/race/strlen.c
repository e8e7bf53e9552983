// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at strlen.c:25)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at strlen.c:25)
// A string whose length is asked for is read.
#include <string.h>
#include <pthread.h>

static int data;
static char text[8] = "ab";

static void *first(void *argument)
{
    (void)argument;
    data = (int)strlen(text);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    text[1] = 'c';
#else
    text[3] = 'c';
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

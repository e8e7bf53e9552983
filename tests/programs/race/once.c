// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy --cflags=-DRACE: unsafe (race at once.c:14)
// headline tree --cflags=-DRACE: unsafe (race at once.c:19)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at once.c:19)
// Initialised once, or by whoever finds that it is not.
#include <pthread.h>

static int data;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialise(void) { data = 1; }

static void make_sure(void)
{
#ifdef RACE
    if (!data)
        initialise();
#else
    pthread_once(&once, initialise);
#endif
}

static void *first(void *argument)
{
    (void)argument;
    make_sure();
    int seen = data;
    (void)seen;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    make_sure();
    int seen = data;
    (void)seen;
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

// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at barrier.c:25)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at barrier.c:25)
// Before and behind a barrier, or both before.
#include <pthread.h>

static int data;
static pthread_barrier_t barrier;

static void *first(void *argument)
{
    (void)argument;
    data = 1;
    pthread_barrier_wait(&barrier);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    data = 2;
#endif
    pthread_barrier_wait(&barrier);
    data = 3;
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

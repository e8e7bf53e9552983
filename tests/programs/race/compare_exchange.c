// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at compare_exchange.c:26)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at compare_exchange.c:26)
// A compare-exchange that fails only reads: beside a plain read it is no race, beside a plain write it is.
#include <stdatomic.h>
#include <pthread.h>

static int data;
static atomic_int shared = 1;

static void *first(void *argument)
{
    (void)argument;
    int expected = 2;
    atomic_compare_exchange_strong(&shared, &expected, 3);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    *(int *)&shared = 1;
#else
    int seen = *(int *)&shared;
    (void)seen;
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

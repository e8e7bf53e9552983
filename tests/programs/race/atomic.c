// check: safe-within-bounds
// args: --property race
// headline explicit lazy tree prove: safe within bounds (sequentially consistent runs, races other than between accesses that relaxed atomics keep apart)
// headline explicit --reduction dpor: safe within bounds (sequentially consistent runs, races other than between accesses that relaxed atomics keep apart)
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at atomic.c:25)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at atomic.c:25)
// All accesses atomic, or one that is not.
#include <stdatomic.h>
#include <pthread.h>

static int data;
static atomic_int shared;

static void *first(void *argument)
{
    (void)argument;
    atomic_fetch_add(&shared, 1);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    *(int *)&shared = 1;
#else
    atomic_store_explicit(&shared, 1, memory_order_relaxed);
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

// check: safe-within-bounds
// args: --property race
// headline explicit lazy tree prove: safe within bounds (sequentially consistent runs, races other than between accesses that relaxed atomics keep apart)
// headline explicit --reduction dpor: safe within bounds (sequentially consistent runs, races other than between accesses that relaxed atomics keep apart)
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at fence.c:33)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at fence.c:33)
// Fences around relaxed accesses order what is before and behind: the verdict does not look at that closely, and says so.
#include <stdatomic.h>
#include <pthread.h>

static int data;
static atomic_int ready;

static void *first(void *argument)
{
    (void)argument;
#ifdef RACE
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    data = 1;
#else
    data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
#endif
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    if (atomic_load_explicit(&ready, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        data = 2;
    }
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

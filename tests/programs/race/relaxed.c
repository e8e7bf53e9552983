// check: safe-within-bounds
// args: --property race
// headline explicit lazy tree: safe within bounds (sequentially consistent runs, races other than between accesses that relaxed atomics keep apart)
// headline explicit tree --cflags=-DORDERED: safe within bounds (sequentially consistent runs)
// Two threads never stand before the accesses to the data at the same time, but a relaxed flag does not order them: no engine
// may call this safe. With release and acquire C11 has other runs than those that are looked at, and the verdict says so.
#include <pthread.h>
#include <stdatomic.h>

#ifdef ORDERED
#define PUBLISHES memory_order_release
#define SEES memory_order_acquire
#else
#define PUBLISHES memory_order_relaxed
#define SEES memory_order_relaxed
#endif

static int data;
static atomic_int flag;

static void *publish(void *argument)
{
    (void)argument;
    data = 1;
    atomic_store_explicit(&flag, 1, PUBLISHES);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    if (atomic_load_explicit(&flag, SEES))
        data = 2;
    pthread_join(thread, 0);
    return 0;
}

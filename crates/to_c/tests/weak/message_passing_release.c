// wrong: never
// Not if it is a release store.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data, seen, value;
atomic_int flag;

static void *thread_1(void *unused)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *thread_2(void *unused)
{
    seen = atomic_load_explicit(&flag, memory_order_acquire);
    value = data;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!seen || value == 1);
    return 0;
}

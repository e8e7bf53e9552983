// wrong: tso pso
// Both stores must wait: a buffer for one store is not enough.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;
atomic_int z;

static void *thread_1(void *unused)
{
    x = 1;
    y = 1;
    a = atomic_load_explicit(&z, memory_order_relaxed);
    return unused;
}

static void *thread_2(void *unused)
{
    z = 1;
    b = x + y;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 1 || b > 0);
    return 0;
}

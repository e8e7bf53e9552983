// wrong: pso
// A fence on one way only: the other way is open.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data, flag, seen, value, way;

static void *thread_1(void *unused)
{
    data = 1;
    if (way)
        atomic_thread_fence(memory_order_release);
    flag = 1;
    return unused;
}

static void *thread_2(void *unused)
{
    seen = flag;
    value = data;
    way = 1;
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

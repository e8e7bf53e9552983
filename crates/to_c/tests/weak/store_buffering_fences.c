// wrong: never
// A fence drains.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *thread_1(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

static void *thread_2(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 1 || b == 1);
    return 0;
}

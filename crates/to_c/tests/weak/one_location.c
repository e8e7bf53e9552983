// wrong: never
// Stores to one location keep their order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, a, b;

static void *thread_1(void *unused)
{
    x = 1;
    x = 2;
    return unused;
}

static void *thread_2(void *unused)
{
    a = x;
    b = x;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a != 2 || b == 2);
    return 0;
}

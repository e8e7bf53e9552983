// wrong: never
// Loads are never delayed.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;

static void *thread_1(void *unused)
{
    a = x;
    y = 1;
    return unused;
}

static void *thread_2(void *unused)
{
    b = y;
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 0 || b == 0);
    return 0;
}

// wrong: tso pso
// A store of an address.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int cell = 1, *x = 0, *y = 0, *a, *b;

static void *thread_1(void *unused)
{
    x = &cell;
    a = y;
    return unused;
}

static void *thread_2(void *unused)
{
    y = &cell;
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
    assert(a || b);
    return 0;
}

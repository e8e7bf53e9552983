// wrong: pso
// A store overtakes another.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a;

static void *thread_1(void *unused)
{
    x = 2;
    y = 1;
    return unused;
}

static void *thread_2(void *unused)
{
    a = y;
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
    assert(a != 1 || x != 2);
    return 0;
}

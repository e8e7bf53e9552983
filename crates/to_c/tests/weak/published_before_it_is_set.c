// wrong: pso
// The address of a new object overtakes its first store: its bytes are still indeterminate.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *shared;

static void *thread_1(void *unused)
{
    int *cell = malloc(sizeof *cell);
    if (!cell)
        return unused;
    *cell = 0;
    shared = cell;
    return unused;
}

static void *thread_2(void *unused)
{
    int *cell = shared;
    assert(!cell || *cell == 0);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}

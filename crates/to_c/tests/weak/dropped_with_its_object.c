// wrong: never
// A store to an object that ends before it arrives is dropped.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

int *shared, done, seen;

static void *thread_1(void *unused)
{
    int *cell = malloc(sizeof *cell);
    shared = cell;
    *cell = 1;
    if (done)
        free(cell);
    return unused;
}

static void *thread_2(void *unused)
{
    if (shared)
        seen = *shared;
    done = 1;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(done == 1);
    return 0;
}

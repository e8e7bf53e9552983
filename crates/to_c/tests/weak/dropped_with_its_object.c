// wrong: never
// A store to an object that ends before it arrives is dropped.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "two_threads.h"

int *shared, done, seen;

void *thread_1(void *unused)
{
    int *cell = malloc(sizeof *cell);
    shared = cell;
    *cell = 1;
    if (done)
        free(cell);
    return unused;
}

void *thread_2(void *unused)
{
    if (shared)
        seen = *shared;
    done = 1;
    return unused;
}

int main(void)
{
    run_both();
    assert(done == 1);
    return 0;
}

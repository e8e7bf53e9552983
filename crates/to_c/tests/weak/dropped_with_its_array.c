// wrong: never
// A store is dropped with its array, of which only the run knows the size.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "two_threads.h"

int *shared, done, seen;

void *thread_1(void *unused)
{
    int *cell = malloc((1 + (done != 0)) * sizeof *cell);
    shared = cell;
    cell[0] = 1;
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

// wrong: pso
// The address of a new object overtakes its first store: its bytes are still indeterminate.
#include <assert.h>
#include <stdlib.h>
#include "two_threads.h"

int *shared;

void *thread_1(void *unused)
{
    int *cell = malloc(sizeof *cell);
    if (!cell)
        return unused;
    *cell = 0;
    shared = cell;
    return unused;
}

void *thread_2(void *unused)
{
    int *cell = shared;
    assert(!cell || *cell == 0);
    return unused;
}

int main(void)
{
    run_both();
    return 0;
}

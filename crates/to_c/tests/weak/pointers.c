// wrong: tso pso
// A store of an address.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int cell = 1, *x = 0, *y = 0, *a, *b;

void *thread_1(void *unused)
{
    x = &cell;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = &cell;
    b = x;
    return unused;
}

int main(void)
{
    run_both();
    assert(a || b);
    return 0;
}

// wrong: tso pso
// The index is not known.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int cells[4], y, a, b, where;

void *thread_1(void *unused)
{
    where = 1 + (y != 0);
    cells[where] = 1;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    b = cells[1] + cells[2];
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b == 1);
    return 0;
}

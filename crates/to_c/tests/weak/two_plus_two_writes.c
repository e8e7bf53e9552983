// wrong: pso
// Both pairs of stores in the wrong order.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y;

void *thread_1(void *unused)
{
    x = 1;
    y = 2;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    x = 2;
    return unused;
}

int main(void)
{
    run_both();
    assert(x != 1 || y != 1);
    return 0;
}

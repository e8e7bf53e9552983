// wrong: tso pso
// A load overtakes the store before it.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a;

void *thread_1(void *unused)
{
    x = 1;
    y = 1;
    return unused;
}

void *thread_2(void *unused)
{
    y = 2;
    a = x;
    return unused;
}

int main(void)
{
    run_both();
    assert(y != 2 || a == 1);
    return 0;
}

// wrong: tso pso
// Both loads overtake the stores before them.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b;

void *thread_1(void *unused)
{
    x = 1;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    b = x;
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b == 1);
    return 0;
}

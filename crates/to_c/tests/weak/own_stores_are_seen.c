// wrong: tso pso
// A thread sees its own stores before others do.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b, c, d;

void *thread_1(void *unused)
{
    x = 1;
    c = x;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    d = y;
    b = x;
    return unused;
}

int main(void)
{
    run_both();
    assert(c == 1 && d == 1);
    assert(a == 1 || b == 1);
    return 0;
}

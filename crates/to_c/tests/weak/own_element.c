// wrong: tso pso
// The thread finds its own store, whatever the index.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int cells[4], y, a, b, c, d;

void *thread_1(void *unused)
{
    int where = y ? 1 : 2, other = y ? 1 : 2;
    cells[where] = 1;
    c = cells[where];
    d = cells[3];
    a = y;
    (void)other;
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
    assert(c == 1 && d == 0);
    assert(a == 1 || b == 1);
    return 0;
}

// wrong: never
// A seq_cst store that nobody reads drains, too.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b;
atomic_int nobody_1, nobody_2;

void *thread_1(void *unused)
{
    x = 1;
    nobody_1 = 1;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    nobody_2 = 1;
    b = x;
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b == 1);
    return 0;
}

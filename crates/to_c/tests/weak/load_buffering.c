// wrong: never
// Loads are never delayed.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b;

void *thread_1(void *unused)
{
    a = x;
    y = 1;
    return unused;
}

void *thread_2(void *unused)
{
    b = y;
    x = 1;
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 0 || b == 0);
    return 0;
}

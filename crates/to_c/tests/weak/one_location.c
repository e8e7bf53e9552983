// wrong: never
// Stores to one location keep their order.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, a, b;

void *thread_1(void *unused)
{
    x = 1;
    x = 2;
    return unused;
}

void *thread_2(void *unused)
{
    a = x;
    b = x;
    return unused;
}

int main(void)
{
    run_both();
    assert(a != 2 || b == 2);
    return 0;
}

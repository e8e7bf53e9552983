// wrong: tso pso
// Both stores must wait: a buffer for one store is not enough.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b;
atomic_int z;

void *thread_1(void *unused)
{
    x = 1;
    y = 1;
    a = atomic_load_explicit(&z, memory_order_relaxed);
    return unused;
}

void *thread_2(void *unused)
{
    z = 1;
    b = x + y;
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b > 0);
    return 0;
}

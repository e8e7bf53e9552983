// wrong: tso pso
// One fence is not enough.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

atomic_int x, y;
int a, b;

void *thread_1(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

void *thread_2(void *unused)
{
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b == 1);
    return 0;
}

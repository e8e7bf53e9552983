// wrong: never
// So does a compare-exchange that fails.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

atomic_int x, y, z;
int a, b;

void *thread_1(void *unused)
{
    int expected = 7;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&z, &expected, 1, memory_order_relaxed, memory_order_relaxed);
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return unused;
}

void *thread_2(void *unused)
{
    atomic_exchange_explicit(&y, 1, memory_order_relaxed);
    b = atomic_load_explicit(&x, memory_order_relaxed);
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b == 1);
    return 0;
}

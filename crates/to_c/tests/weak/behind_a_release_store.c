// wrong: pso
// A release store orders what comes before it, nothing behind it.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int data, flag, seen, value;
atomic_int between;

void *thread_1(void *unused)
{
    data = 1;
    atomic_store_explicit(&between, 1, memory_order_release);
    flag = 1;
    return unused;
}

void *thread_2(void *unused)
{
    seen = flag;
    value = data;
    return unused;
}

int main(void)
{
    run_both();
    assert(!seen || value == 1);
    return 0;
}

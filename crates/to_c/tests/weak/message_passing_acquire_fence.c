// wrong: pso
// An acquire fence does nothing for stores.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int data, flag, seen, value;

void *thread_1(void *unused)
{
    data = 1;
    atomic_thread_fence(memory_order_acquire);
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

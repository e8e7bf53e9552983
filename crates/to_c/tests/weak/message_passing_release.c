// wrong: never
// Not if it is a release store.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int data, seen, value;
atomic_int flag;

void *thread_1(void *unused)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

void *thread_2(void *unused)
{
    seen = atomic_load_explicit(&flag, memory_order_acquire);
    value = data;
    return unused;
}

int main(void)
{
    run_both();
    assert(!seen || value == 1);
    return 0;
}

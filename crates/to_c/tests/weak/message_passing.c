// wrong: pso
// The flag overtakes the data.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int data, flag, seen, value;

void *thread_1(void *unused)
{
    data = 1;
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

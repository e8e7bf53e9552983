// wrong: pso
// A store overtakes another.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a;

void *thread_1(void *unused)
{
    x = 2;
    y = 1;
    return unused;
}

void *thread_2(void *unused)
{
    a = y;
    x = 1;
    return unused;
}

int main(void)
{
    run_both();
    assert(a != 1 || x != 2);
    return 0;
}

// wrong: tso pso
// A copy of memory finds own stores.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

struct pair { int first; int second; int more[6]; } shared, copy;
int y, a, b;

void *thread_1(void *unused)
{
    shared.second = 1;
    copy = shared;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    b = shared.second;
    return unused;
}

int main(void)
{
    run_both();
    assert(copy.second == 1);
    assert(a == 1 || b == 1);
    return 0;
}

// wrong: tso pso
// The assignment of a struct is one store.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

struct pair { int first; int second; int more[6]; } shared, other = { 1, 2, { 3 } };
int y, a, b, c;

void *thread_1(void *unused)
{
    shared = other;
    a = y;
    c = shared.second;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    b = shared.first;
    return unused;
}

int main(void)
{
    run_both();
    assert(c == 2);
    assert(a == 1 || b == 1);
    return 0;
}

// wrong: tso pso
// The same bytes, read as another type.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

union { float f; int i; } u;
int y, a, b, c;

void *thread_1(void *unused)
{
    u.f = 1.0f;
    c = u.i;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    b = u.i;
    return unused;
}

int main(void)
{
    run_both();
    assert(c == 0x3f800000);
    assert(a == 1 || b != 0);
    return 0;
}

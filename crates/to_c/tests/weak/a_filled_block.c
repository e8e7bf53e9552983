// wrong: tso pso
// memset is one store.
#include <assert.h>
#include <stdatomic.h>
#include <string.h>
#include "two_threads.h"

int cells[8], y, a, b, c;

void *thread_1(void *unused)
{
    memset(cells, 1, sizeof cells);
    a = y;
    c = cells[3];
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    b = cells[7];
    return unused;
}

int main(void)
{
    run_both();
    assert(c == 0x01010101);
    assert(a == 1 || b != 0);
    return 0;
}

// wrong: never
// Stores that share a byte keep their order.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

union { unsigned char bytes[4]; unsigned word; } u;
unsigned a, b;

void *thread_1(void *unused)
{
    u.bytes[1] = 1;
    u.word = 0x02020202;
    return unused;
}

void *thread_2(void *unused)
{
    a = u.bytes[1];
    b = u.bytes[1];
    return unused;
}

int main(void)
{
    run_both();
    assert(a != 2 || b == 2);
    return 0;
}

// wrong: pso
// Bytes of one word are locations of their own.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

union { unsigned char bytes[4]; unsigned word; } u;
unsigned a;

void *thread_1(void *unused)
{
    u.bytes[0] = 1;
    u.bytes[1] = 1;
    return unused;
}

void *thread_2(void *unused)
{
    a = u.word;
    return unused;
}

int main(void)
{
    run_both();
    assert(a != 0x100);
    return 0;
}

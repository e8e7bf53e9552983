// wrong: tso pso
// A load of a word finds one byte in the own buffer, the others in memory.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

union { unsigned char bytes[4]; unsigned word; } u;
unsigned a, b;

void *thread_1(void *unused)
{
    u.bytes[0] = 1;
    a = u.word;
    return unused;
}

void *thread_2(void *unused)
{
    u.bytes[2] = 1;
    b = u.word;
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 0x10001 || b == 0x10001);
    return 0;
}

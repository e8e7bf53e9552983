// wrong: never
// Creating a thread drains.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b;
void *late(void *unused) { b = x; return unused; }

void *thread_1(void *unused)
{
    pthread_t other;
    x = 1;
    y = 1;
    pthread_create(&other, 0, late, 0);
    pthread_join(other, 0);
    return unused;
}

void *thread_2(void *unused)
{
    a = y;
    return unused;
}

int main(void)
{
    run_both();
    assert(b == 1);
    return 0;
}

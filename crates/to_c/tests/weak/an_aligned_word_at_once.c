// wrong: never
// Nobody sees half of a word of the struct.
#include <assert.h>
#include <stdatomic.h>
#include "two_threads.h"

struct pair { _Alignas(8) int first; int second; int more[6]; } shared, other = { 1, 2, { 3 } };
int y, a;
struct pair b;

void *thread_1(void *unused)
{
    shared = other;
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    b = shared;
    return unused;
}

int main(void)
{
    run_both();
    assert((b.first == 0) == (b.second == 0));
    return 0;
}

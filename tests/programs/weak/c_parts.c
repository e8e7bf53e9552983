// check: unsafe assertion
// args: --memory-model tso
// headline lazy cbmc --rounds 3 --unwind 2: unsafe (assertion at c_parts.c:33)
// Each thread finds its own half in its buffer, and the other half, too early, in memory.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static union { uint16_t halves[2]; uint32_t whole; } shared;
static uint32_t seen[2];

static void *low(void *unused)
{
    shared.halves[0] = 1;
    seen[0] = shared.whole;
    return unused;
}

static void *high(void *unused)
{
    shared.halves[1] = 1;
    seen[1] = shared.whole;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, low, 0);
    pthread_create(&threads[1], 0, high, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(seen[0] == 0x10001 || seen[1] == 0x10001); //~ violation
    return 0;
}

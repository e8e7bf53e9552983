// check: safe
// headline explicit lazy tree --memory-model tso: unsafe (assertion at own_part_of_waiting_word.c:49)
// headline explicit lazy tree --memory-model pso: unsafe (assertion at own_part_of_waiting_word.c:49)
// headline explicit --reduction dpor --memory-model tso: unsafe (assertion at own_part_of_waiting_word.c:49)
// headline explicit --reduction dpor --memory-model pso: unsafe (assertion at own_part_of_waiting_word.c:49)
// headline explicit --reduction dpor --memory-model tso -DFENCE: safe
// headline explicit --reduction dpor --memory-model pso -DFENCE: safe
// A store to bytes that no other thread touches, and that a store which waits has as well: it stays behind that one, and
// makes nobody wait.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { int seen, own; };

static struct pair pair;
static int other, first_saw, second_saw;

static void *first(void *unused)
{
    struct pair both = {1, 1};
    pair = both;
    pair.own++;
#ifdef FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    first_saw = other;
    assert(pair.own == 2);
    return unused;
}

static void *second(void *unused)
{
    other = 1;
#ifdef FENCE
    atomic_thread_fence(memory_order_seq_cst);
#endif
    second_saw = pair.seen;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(first_saw || second_saw);
    return 0;
}

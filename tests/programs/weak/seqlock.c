// check: safe
// A sequence lock. TSO keeps the writer's stores in order; PSO needs fences around the data (FENCES 2). Loads are in
// order anyway.
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: unsafe (assertion at seqlock.c:39)
// headline explicit --memory-model pso -DFENCES=2: safe
#include <assert.h>
#include <pthread.h>

#if FENCES >= 2
#define STORE_STORE() __atomic_thread_fence(__ATOMIC_RELEASE)
#else
#define STORE_STORE()
#endif

int sequence, a, b;

void *writer(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        sequence++;
        STORE_STORE();
        a = i;
        b = i;
        STORE_STORE();
        sequence++;
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    int before = sequence;
    int x = a, y = b;
    int after = sequence;
    if (before == after && before % 2 == 0)
        assert(x == y);
    pthread_join(t, 0);
    return 0;
}

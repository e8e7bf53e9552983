// check: safe
// Lamport's bakery for two threads (CACM 1974). Fences between stores and loads (FENCES 1) are enough for TSO; PSO needs
// the stores in order, too (FENCES 2).
// headline explicit --memory-model tso: unsafe (assertion at bakery.c:53)
// headline explicit --memory-model pso: unsafe (assertion at bakery.c:53)
// headline explicit --memory-model tso -DFENCES=1: safe
// headline explicit --memory-model pso -DFENCES=1: unsafe (assertion at bakery.c:53)
// headline explicit --memory-model pso -DFENCES=2: safe
#include <assert.h>
#include <pthread.h>

#if FENCES >= 1
#define STORE_LOAD() __sync_synchronize()
#else
#define STORE_LOAD()
#endif
#if FENCES >= 2
#define STORE_STORE() __atomic_thread_fence(__ATOMIC_RELEASE)
#else
#define STORE_STORE()
#endif

int choosing[2], number[2], count;

void *worker(void *arg)
{
    int me = (int)(long)arg, other = 1 - me;
    choosing[me] = 1;
    STORE_LOAD();
    int mine = number[other] + 1;
    number[me] = mine;
    STORE_STORE();
    choosing[me] = 0;
    STORE_LOAD();
    while (choosing[other])
        ;
    int theirs;
    while ((theirs = number[other]) && (theirs < mine || (theirs == mine && other < me)))
        ;
    count++;
    STORE_STORE();
    number[me] = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}

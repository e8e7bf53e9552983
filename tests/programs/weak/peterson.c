// check: safe
// Peterson's algorithm. A fence between the stores and the loads (FENCES 1) is enough for TSO; under PSO the flag
// must also arrive before the turn, and what is done inside before the flag is taken back (FENCES 2).
// headline explicit --memory-model tso: unsafe (assertion at peterson.c:50)
// headline explicit --memory-model pso: unsafe (assertion at peterson.c:50)
// headline lazy --memory-model tso --unwind 1 --rounds 3: unsafe (assertion at peterson.c:50)
// headline lazy --memory-model pso --unwind 1 --rounds 3: unsafe (assertion at peterson.c:50)
// headline tree --memory-model tso --unwind 1 --switches 5: unsafe (assertion at peterson.c:50)
// headline explicit --memory-model tso -DFENCES=1: safe
// headline explicit --memory-model pso -DFENCES=1: unsafe (assertion at peterson.c:50)
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

int flag[2], turn, count;

void *worker(void *arg)
{
    int me = (int)(long)arg, other = 1 - me;
    flag[me] = 1;
    STORE_STORE();
    turn = other;
    STORE_LOAD();
    while (flag[other] && turn == other)
        ;
    count++;
    STORE_STORE();
    flag[me] = 0;
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

// check: safe
// A ticket lock. Taking a ticket drains; under PSO what is done inside must arrive before the next one is served
// (FENCES 2).
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: unsafe (assertion at ticket_lock.c:36)
// headline lazy tree --memory-model pso --unwind 1: unsafe (assertion at ticket_lock.c:36)
// headline explicit --memory-model pso -DFENCES=2: safe
#include <assert.h>
#include <pthread.h>

#if FENCES >= 2
#define SERVE(place, value) __atomic_store_n(&place, value, __ATOMIC_RELEASE)
#else
#define SERVE(place, value) place = value
#endif

int tickets, serving, count;

void *worker(void *arg)
{
    int mine = __sync_fetch_and_add(&tickets, 1);
    while (serving != mine)
        ;
    count++;
    SERVE(serving, mine + 1);
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

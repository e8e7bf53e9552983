// check: safe
// Lamport's fast mutual exclusion for two threads (TOCS 1987). Fences between stores and loads (FENCES 1) are enough
// for TSO; PSO needs the stores in order, too (FENCES 2).
// headline explicit --memory-model tso: unsafe (assertion at fast_mutex.c:67)
// headline explicit --memory-model pso: unsafe (assertion at fast_mutex.c:67)
// headline explicit --memory-model tso -DFENCES=1: safe
// headline explicit --memory-model pso -DFENCES=1: unsafe (assertion at fast_mutex.c:67)
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

int b[3], x, y, count;

void *worker(void *arg)
{
    int me = 1 + (int)(long)arg, other = 3 - me;
start:
    b[me] = 1;
    STORE_STORE();
    x = me;
    STORE_LOAD();
    if (y != 0) {
        b[me] = 0;
        while (y != 0)
            ;
        goto start;
    }
    y = me;
    STORE_LOAD();
    if (x != me) {
        b[me] = 0;
        STORE_LOAD();
        while (b[other])
            ;
        if (y != me) {
            while (y != 0)
                ;
            goto start;
        }
    }
    count++;
    STORE_STORE();
    y = 0;
    STORE_STORE();
    b[me] = 0;
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

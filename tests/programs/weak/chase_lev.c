// check: safe
// The work-stealing deque of Chase and Lev (SPAA 2005), with as much room as it needs. The owner's taking needs a fence
// between its store and its load (FENCES 1); under PSO an item must also arrive before the end that shows it (FENCES 2).
// headline explicit --memory-model tso: unsafe (assertion at chase_lev.c:85)
// headline explicit --memory-model pso: unsafe (assertion at chase_lev.c:85)
// headline lazy --memory-model tso --unwind 1 --rounds 3: unsafe (assertion at chase_lev.c:85)
// headline lazy --memory-model pso --unwind 1 --rounds 3: unsafe (assertion at chase_lev.c:85)
// headline tree --memory-model tso --unwind 1 --switches 5: unsafe (assertion at chase_lev.c:85)
// headline explicit --memory-model tso -DFENCES=1: safe
// headline explicit --memory-model pso -DFENCES=1: unsafe (assertion at chase_lev.c:85)
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

enum { EMPTY = 7 };
int items[2], top, bottom;

void push(int item)
{
    int b = bottom;
    items[b] = item;
    STORE_STORE();
    bottom = b + 1;
}

int take(void)
{
    int b = bottom - 1;
    bottom = b;
    STORE_LOAD();
    int t = top;
    if (t > b) {
        bottom = b + 1;
        return EMPTY;
    }
    int item = items[b];
    if (t == b) {
        if (!__sync_bool_compare_and_swap(&top, t, t + 1))
            item = EMPTY;
        bottom = b + 1;
    }
    return item;
}

int steal(void)
{
    int t = top;
    int b = bottom;
    if (t >= b)
        return EMPTY;
    int item = items[t];
    return __sync_bool_compare_and_swap(&top, t, t + 1) ? item : EMPTY;
}

void *thief(void *arg)
{
    long first = steal();
    long second = steal();
    return (void *)(first << 3 | second);
}

int main(void)
{
    pthread_t t;
    void *stolen;
    pthread_create(&t, 0, thief, 0);
    push(1);
    push(2);
    int taken = take();
    pthread_join(t, &stolen);
    int first = (long)stolen >> 3, second = (long)stolen & 7;
    int sound = first && second && (taken == EMPTY || (taken != first && taken != second)) &&
                (first == EMPTY || first != second);
    assert(sound);
    return 0;
}

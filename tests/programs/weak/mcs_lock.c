// check: safe
// The queue lock of Mellor-Crummey and Scott (TOCS 1991). Its exchange drains; under PSO what is done inside must
// arrive before the lock is handed over (FENCES 2).
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso: unsafe (assertion at mcs_lock.c:60)
// headline explicit --memory-model pso -DFENCES=2: safe
#include <assert.h>
#include <pthread.h>

#if FENCES >= 2
#define HAND_OVER(place, value) __atomic_store_n(&place, value, __ATOMIC_RELEASE)
#else
#define HAND_OVER(place, value) place = value
#endif

struct node {
    struct node *next;
    int waits;
} nodes[2], *tail;
int count;

void lock(struct node *me)
{
    me->waits = 1;
    struct node *before = __sync_lock_test_and_set(&tail, me);
    if (before) {
        before->next = me;
        while (me->waits)
            ;
    }
}

void unlock(struct node *me)
{
    if (!me->next) {
        if (__sync_bool_compare_and_swap(&tail, me, 0))
            return;
        while (!me->next)
            ;
    }
    HAND_OVER(me->next->waits, 0);
}

void *worker(void *arg)
{
    struct node *me = &nodes[(long)arg];
    lock(me);
    count++;
    unlock(me);
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

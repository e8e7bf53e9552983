// check: unsafe deadlock
// lazy: skip loops without end
// An MCS lock: whoever unlocks looks for a successor only once, and forgets one that is about to enter its name.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int locked;
};

static _Atomic(struct node *) tail;
static int counter;

static void lock(struct node *me)
{
    me->next = NULL;
    me->locked = 1;
    struct node *before = atomic_exchange(&tail, me);
    if (before) {
        before->next = me;
        while (me->locked) { //~ violation
        }
    }
}

static void unlock(struct node *me)
{
    if (!me->next) {
        struct node *last = me;
        /* If this fails, somebody is between the exchange and `before->next = me`. */
        atomic_compare_exchange_strong(&tail, &last, NULL);
        return;
    }
    struct node *next = me->next;
    next->locked = 0;
}

static void *work(void *argument)
{
    struct node *me = argument;
    lock(me);
    counter++;
    unlock(me);
    return NULL;
}

int main(void)
{
    static struct node nodes[3];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &nodes[i]);
    work(&nodes[2]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

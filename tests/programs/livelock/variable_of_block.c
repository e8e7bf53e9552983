// check: unsafe deadlock
// lazy: skip loops without end
// Each round of a consumer has a variable of its own, whose address it hands on: of two that wait for one item, one waits for ever.
// check -DITEMS=2: safe
// lazy: skip loops without end
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef ITEMS
#define ITEMS 1
#endif

static atomic_int items;

static int take(int *rest)
{
    int there = items;
    if (!there || !atomic_compare_exchange_strong(&items, &there, there - 1))
        return 0;
    *rest = there - 1;
    return 1;
}

static void *consume(void *argument)
{
    for (;;) {
        int rest;
        if (take(&rest)) //~ violation
            return 0;
        sched_yield(); //~ violation
    }
}

static void *produce(void *argument)
{
    for (int i = 0; i < ITEMS; i++)
        items++;
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, produce, 0);
    pthread_create(&threads[1], 0, consume, 0);
    pthread_create(&threads[2], 0, consume, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return 0;
}

// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at hand_over.c:18)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at hand_over.c:18)
// Locks by address: the one that lies beside the datum, or the one of its neighbour.
#include <pthread.h>

static int data;
static struct cell {
    pthread_mutex_t lock;
    int value;
} cells[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
static void add(struct cell *cell, struct cell *locked)
{
    pthread_mutex_lock(&locked->lock);
    cell->value++;
    pthread_mutex_unlock(&locked->lock);
}

static void *first(void *argument)
{
    (void)argument;
    add(&cells[0], &cells[0]);
    add(&cells[1], &cells[1]);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    add(&cells[0], &cells[1]);
#else
    add(&cells[0], &cells[0]);
#endif
    add(&cells[1], &cells[1]);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit tree --cflags=-DRACE: unsafe (race at free.c:30)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at free.c:30)
// headline lazy --cflags=-DRACE: unsafe (race at free.c:32)
// Freeing writes all of the block.
#include <stdlib.h>
#include <pthread.h>

static int data;
static int *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    free(block);
    block = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    int *mine = block;
    if (mine)
        *mine = 1;
#else
    pthread_mutex_lock(&lock);
    if (block)
        *block = 1;
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

int main(void)
{
    pthread_t one, two;
    block = malloc(sizeof *block);
    if (!block)
        return 0;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

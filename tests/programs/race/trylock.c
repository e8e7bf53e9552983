// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at trylock.c:27)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at trylock.c:27)
// Only whoever gets the mutex may go on.
#include <pthread.h>

static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    int busy = pthread_mutex_trylock(&lock);
#ifdef RACE
    data++;
#else
    if (!busy)
        data++;
#endif
    if (!busy)
        pthread_mutex_unlock(&lock);
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

// check: safe
// args: --property race --memory-model tso
// headline explicit lazy tree: safe
// headline explicit lazy tree --memory-model pso: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at store_buffers.c:25)
// headline explicit lazy tree --memory-model pso --cflags=-DRACE: unsafe (race at store_buffers.c:25)
// A store that waits in a buffer raced when it was made: nobody can tell when that was, but it is an access all the same.
#include <pthread.h>

static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *second(void *argument)
{
#ifdef RACE
    data = 2;
#else
    pthread_mutex_lock(&lock);
    data = 2;
    pthread_mutex_unlock(&lock);
#endif
    return argument;
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

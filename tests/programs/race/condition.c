// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at condition.c:37)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at condition.c:37)
// Waiting until the data are there, or going on without them.
#include <pthread.h>

static int data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *first(void *argument)
{
    (void)argument;
    data = 1;
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
#ifdef RACE
    if (!is_ready)
#else
    while (!is_ready)
#endif
        pthread_cond_wait(&ready, &lock);
    pthread_mutex_unlock(&lock);
    data = 2;
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

// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at mutex.c:28)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at mutex.c:28)
// A mutex that both lock, or one only.
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
#ifndef RACE
    pthread_mutex_lock(&lock);
#endif
    data++;
#ifndef RACE
    pthread_mutex_unlock(&lock);
#endif
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

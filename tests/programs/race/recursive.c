// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit tree --cflags=-DRACE: unsafe (race at recursive.c:34)
// A recursive mutex is free when it was given back as often as it was taken.
#define _GNU_SOURCE
#include <pthread.h>

static int data;
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static void *first(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
#ifdef RACE
    pthread_mutex_unlock(&lock);
    data++;
#else
    data++;
    pthread_mutex_unlock(&lock);
#endif
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    data++;
    pthread_mutex_unlock(&lock);
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

// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at semaphore.c:26)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at semaphore.c:26)
// A semaphore that counts from zero, or from one.
#include <semaphore.h>
#include <pthread.h>

static int data;
static sem_t ready;

static void *first(void *argument)
{
    (void)argument;
    data = 1;
    sem_post(&ready);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    sem_wait(&ready);
    data = 2;
    return 0;
}

int main(void)
{
    pthread_t one, two;
#ifdef RACE
    sem_init(&ready, 0, 1);
#else
    sem_init(&ready, 0, 0);
#endif
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

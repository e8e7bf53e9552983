// check: safe
// args: --property race
// headline explicit lazy tree: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at thread_local_escapes.c:36)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at thread_local_escapes.c:36)
// A thread's copy is shared by its address; a mutex keeps order, or does not.
#include <semaphore.h>
#include <pthread.h>

static int data;
static _Thread_local int own;
static int *published;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t there, over;

static void *first(void *argument)
{
    (void)argument;
    published = &own;
    sem_post(&there);
#ifndef RACE
    sem_wait(&over);
#endif
    own = 1;
#ifdef RACE
    sem_wait(&over);
#endif
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    sem_wait(&there);
    *published = 2;
    sem_post(&over);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&there, 0, 0);
    sem_init(&over, 0, 0);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

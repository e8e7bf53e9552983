// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at c11_threads.c:29)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at c11_threads.c:29)
// C11 mutexes.
#include <threads.h>
#include <pthread.h>

static int data;
static mtx_t lock;

static void *first(void *argument)
{
    (void)argument;
    mtx_lock(&lock);
    data++;
    mtx_unlock(&lock);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifndef RACE
    mtx_lock(&lock);
#endif
    data++;
#ifndef RACE
    mtx_unlock(&lock);
#endif
    return 0;
}

int main(void)
{
    pthread_t one, two;
    mtx_init(&lock, mtx_plain);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

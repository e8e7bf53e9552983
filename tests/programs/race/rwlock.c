// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at rwlock.c:31)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at rwlock.c:31)
// Two writers; or a writer that holds the lock for reading only.
#include <pthread.h>

static int data;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *argument)
{
    (void)argument;
    pthread_rwlock_rdlock(&lock);
    int seen = data;
    (void)seen;
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    data = 1;
    pthread_rwlock_unlock(&lock);
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

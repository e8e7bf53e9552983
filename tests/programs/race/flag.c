// check: safe
// args: --property race
// headline explicit: safe
// headline tree --unwind 4: safe within bounds (unwind 4 cut)
// headline explicit --reduction dpor: safe
// headline explicit lazy --cflags=-DRACE: unsafe (race at flag.c:20)
// headline tree --cflags=-DRACE: unsafe (race at flag.c:18)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at flag.c:18)
// A lock of atomic_flag, or of a plain variable.
#include <stdatomic.h>
#include <pthread.h>

static int data;
#ifdef RACE
static int taken;
static void lock(void)
{
    while (taken)
        ;
    taken = 1;
}
static void unlock(void) { taken = 0; }
#else
static atomic_flag taken = ATOMIC_FLAG_INIT;
static void lock(void)
{
    while (atomic_flag_test_and_set(&taken))
        ;
}
static void unlock(void) { atomic_flag_clear(&taken); }
#endif

static void *first(void *argument)
{
    (void)argument;
    lock();
    data++;
    unlock();
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    lock();
    data++;
    unlock();
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

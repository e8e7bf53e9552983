// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at spin.c:30)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at spin.c:30)
// Spinlocks: the same, or two.
#include <pthread.h>

static int data;
static pthread_spinlock_t lock, other;

static void *first(void *argument)
{
    (void)argument;
    pthread_spin_lock(&lock);
    data++;
    pthread_spin_unlock(&lock);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    pthread_spin_lock(&other);
#else
    pthread_spin_lock(&lock);
#endif
    data++;
#ifdef RACE
    pthread_spin_unlock(&other);
#else
    pthread_spin_unlock(&lock);
#endif
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_spin_init(&lock, 0);
    pthread_spin_init(&other, 0);
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

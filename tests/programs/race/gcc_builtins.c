// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at gcc_builtins.c:26)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at gcc_builtins.c:26)
// __atomic and __sync builtins, or an increment beside them.
#include <pthread.h>

static int data;
static int count;

static void *first(void *argument)
{
    (void)argument;
    __sync_fetch_and_add(&count, 1);
    data = 1;
    __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    count++;
#else
    __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
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

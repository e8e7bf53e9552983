// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at create_and_join.c:15)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at create_and_join.c:15)
// Before creation and behind join, or in between.
#include <pthread.h>

static int data;

static void *work(void *argument)
{
    (void)argument;
    data++;
    return 0;
}

int main(void)
{
    pthread_t thread;
    data = 1;
    pthread_create(&thread, 0, work, 0);
#ifdef RACE
    data = 2;
#endif
    pthread_join(thread, 0);
    data = 3;
    return 0;
}

// check: safe
// args: --property race --race-ignore statistics --race-ignore ignored.c:15 --race-ignore trace
// assumption: threads can always be created (--may-fail create)
// assumption: races at `statistics` are not reported, as was asked
// assumption: races at `ignored.c:15` are not reported, as was asked
// assumption: races at `trace` are not reported, as was asked
// headline explicit lazy tree prove: safe
// What the user knows is left out, by variable, line and function; and the verdict says so.
#include <pthread.h>

static int statistics, seen, traced;

static void look(void)
{
    seen++;
}

static void trace(void) { traced++; }

static void *work(void *argument)
{
    (void)argument;
    statistics++;
    look();
    trace();
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, work, 0);
    pthread_create(&two, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

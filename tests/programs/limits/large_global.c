// check: safe
// lazy: skip a hundred megabytes of terms
// headline explicit: safe
#include <assert.h>
#include <pthread.h>

static char big[100000000];

static void *touch(void *argument)
{
    (void)argument;
    big[sizeof big - 1]++;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, touch, 0);
    big[5] = 1;
    pthread_join(thread, 0);
    assert(big[sizeof big - 1] == 1);
    return 0;
}

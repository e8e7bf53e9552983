// check: unsafe deadlock
// args: --engine explicit --reduction dpor
// lazy: skip an engine of its own
// The first run takes both locks without trouble. The deadlock is in the order of lockings that were enabled by unlockings.
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;

static void *up(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&one);
    pthread_mutex_lock(&two);
    pthread_mutex_unlock(&two);
    pthread_mutex_unlock(&one);
    return 0;
}

static void *down(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&two);
    pthread_mutex_lock(&one);
    pthread_mutex_unlock(&one);
    pthread_mutex_unlock(&two);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, up, 0);
    pthread_create(&b, 0, down, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}

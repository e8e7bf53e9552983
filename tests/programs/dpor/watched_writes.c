// check: unsafe invariant
// args: --engine explicit --reduction dpor --invariant x<=y
// lazy: skip observers
// No thread reads what the other writes, but the invariant reads both.
#include <pthread.h>

int x, y;

static void *first(void *argument)
{
    (void)argument;
    x = 1;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    y = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&b, 0, second, 0);
    pthread_create(&a, 0, first, 0);
    pthread_join(b, 0);
    pthread_join(a, 0);
    return 0;
}

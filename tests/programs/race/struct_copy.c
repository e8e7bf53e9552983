// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at struct_copy.c:27)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at struct_copy.c:27)
// Copying a struct reads all of it.
#include <pthread.h>

static int data;
struct pair {
    int left, right;
};
static struct pair shared, copy;

static void *first(void *argument)
{
    (void)argument;
    copy = shared;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    shared.right = 1;
#else
    data = shared.right;
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

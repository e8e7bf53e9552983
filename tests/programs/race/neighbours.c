// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at neighbours.c:27)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at neighbours.c:27)
// Neighbouring bytes are different places; overlapping members of a union are the same.
#include <pthread.h>

static int data;
static union {
    unsigned all;
    unsigned char byte[4];
} bytes;

static void *first(void *argument)
{
    (void)argument;
    bytes.byte[1] = 1;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    bytes.all = 2;
#else
    bytes.byte[2] = 1;
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

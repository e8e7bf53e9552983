// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at bit_field.c:29)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at bit_field.c:29)
// Bit-fields beside each other share their storage unit; behind a zero-width one they do not.
#include <pthread.h>

static int data;
static struct {
    unsigned low : 4;
#ifndef RACE
    unsigned : 0;
#endif
    unsigned high : 4;
} both;

static void *first(void *argument)
{
    (void)argument;
    both.low = 1;
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    both.high = 1;
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

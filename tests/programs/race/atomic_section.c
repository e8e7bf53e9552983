// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at atomic_section.c:27)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at atomic_section.c:27)
// __VERIFIER_atomic sections exclude each other, not what is outside.
#include <pthread.h>

static int data;
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static void *first(void *argument)
{
    (void)argument;
    __VERIFIER_atomic_begin();
    data++;
    __VERIFIER_atomic_end();
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
#ifdef RACE
    data++;
#else
    __VERIFIER_atomic_begin();
    data++;
    __VERIFIER_atomic_end();
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

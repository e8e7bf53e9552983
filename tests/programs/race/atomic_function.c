// check: safe
// args: --property race
// headline explicit lazy tree prove: safe
// headline explicit --reduction dpor: safe
// headline explicit lazy tree --cflags=-DRACE: unsafe (race at atomic_function.c:28)
// headline explicit --reduction dpor --cflags=-DRACE: unsafe (race at atomic_function.c:28)
// A function whose name begins with __VERIFIER_atomic_ is a section.
#include <pthread.h>

static int data;
static void __VERIFIER_atomic_add(void) { data++; }
#ifdef RACE
#define add() data++
#else
#define add() __VERIFIER_atomic_add()
#endif

static void *first(void *argument)
{
    (void)argument;
    __VERIFIER_atomic_add();
    return 0;
}

static void *second(void *argument)
{
    (void)argument;
    add();
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

// check: safe
// An atomic section that is longer than a transition of the search. No store arrives in the middle of it; one that only
// its end looks at may arrive before it (LATE).
// headline explicit --memory-model tso: safe
// headline explicit --memory-model pso --reduction sleep: safe
// headline explicit -DLATE: unsafe (assertion at long_section.c:44)
// headline explicit --memory-model tso -DLATE: unsafe (assertion at long_section.c:44)
// headline explicit --memory-model pso --reduction sleep -DLATE: unsafe (assertion at long_section.c:44)
// lazy: skip (a loop of 20,000 rounds)
#include <assert.h>
#include <pthread.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int x, z, answer;

static void *section(void *arg)
{
    int first = 0, second = 0, late;
    __VERIFIER_atomic_begin();
#ifndef LATE
    first = x;
#endif
    for (volatile int i = 0; i < 20000; i++)
        ;
#ifndef LATE
    second = x;
#endif
    late = z;
    __VERIFIER_atomic_end();
    assert(first == second);
    answer = late;
    return arg;
}

static void *writer(void *arg)
{
    z = 1;
#ifndef LATE
    x = 1;
#endif
#ifdef LATE
    assert(!answer);
#else
    if (answer)
        return 0;
#endif
    return arg;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, section, 0);
    pthread_create(&other, 0, writer, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}

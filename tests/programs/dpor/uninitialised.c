// check: unsafe assertion
// args: --property assertion
// headline explicit: unsafe (assertion at uninitialised.c:31)
// headline explicit --reduction dpor: unsafe (assertion at uninitialised.c:31)
// Who reads memory first that nobody has written chooses its value: two threads that read the same depend on each other.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int *first, *second, seen;

void *looks_at_one(void *unused)
{
    __VERIFIER_atomic_begin();
    if (*first == 5)
        seen = 1;
    __VERIFIER_atomic_end();
    return unused;
}

void *looks_at_both(void *unused)
{
    int bad = 0;
    __VERIFIER_atomic_begin();
    if (*first != 0 && *second == 0 && seen)
        bad = 1;
    __VERIFIER_atomic_end();
    assert(!bad); //~ violation
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    first = malloc(sizeof *first);
    second = malloc(sizeof *second);
    pthread_create(&threads[0], 0, looks_at_both, 0);
    pthread_create(&threads[1], 0, looks_at_one, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}

// property: race
// Each thread gets the address of an element of its own; in the twin the elements overlap.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void *work(void *argument)
{
#ifdef TWIN
    long *place = argument;
#else
    int *place = argument;
#endif
    *place = __VERIFIER_nondet_int();
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 1)
        return 0;
    pthread_t *threads = malloc(count * sizeof *threads);
    int *places = malloc(count * sizeof *places + sizeof(long));
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], 0, work, &places[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
    free(places);
    free(threads);
    return 0;
}

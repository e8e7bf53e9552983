// property: race
// Each thread gets a number of its own, and uses it as an index; the twin's index is the same for two of them.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int *places;

static void *work(void *argument)
{
    int number = (int)(intptr_t)argument;
#ifdef TWIN
    number /= 2;
#endif
    places[number] = __VERIFIER_nondet_int();
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 1)
        return 0;
    pthread_t *threads = malloc(count * sizeof *threads);
    places = malloc(count * sizeof *places);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], 0, work, (void *)(intptr_t)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
    free(places);
    free(threads);
    return 0;
}

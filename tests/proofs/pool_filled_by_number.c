// property: race
// As filled elements, but each thread gets the number of its element. The twin fills it in when the thread may run already.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int *places;

static void *work(void *argument)
{
    int mine = (int)(intptr_t)argument;
    places[mine] = places[mine] + 1;
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 1)
        return 0;
    pthread_t *threads = malloc(count * sizeof *threads);
    places = malloc(count * sizeof *places);
    int sum = 0;
    for (int i = 0; i < count; i++) {
#ifndef TWIN
        places[i] = i;
#endif
        pthread_create(&threads[i], 0, work, (void *)(intptr_t)i);
#ifdef TWIN
        places[i] = i;
#endif
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], 0);
        sum += places[i];
    }
    return sum;
}

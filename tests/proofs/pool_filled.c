// property: race
// The creator fills in each element before it creates the thread that gets it, and reads it when it has joined that thread.
// The twin reads it before.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static void *work(void *argument)
{
    int *mine = argument;
    *mine = *mine + 1;
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 1)
        return 0;
    pthread_t *threads = malloc(count * sizeof *threads);
    int *places = malloc(count * sizeof *places);
    int sum = 0;
    for (int i = 0; i < count; i++) {
        places[i] = i;
        pthread_create(&threads[i], 0, work, &places[i]);
    }
    for (int i = 0; i < count; i++) {
#ifdef TWIN
        sum += places[i];
#endif
        pthread_join(threads[i], 0);
        sum += places[i];
    }
    return sum;
}

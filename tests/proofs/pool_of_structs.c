// property: race
// Handles in an array of structs, whose other fields belong to the threads; the twin lets threads write over handles.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct worker {
    pthread_t thread;
    long result;
};

static void *work(void *argument)
{
    struct worker *me = argument;
#ifdef TWIN
    me->thread = 0;
#else
    me->result = 1;
#endif
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 1)
        return 0;
    struct worker *workers = malloc(count * sizeof *workers);
    for (int i = 0; i < count; i++)
        pthread_create(&workers[i].thread, 0, work, &workers[i]);
    for (int i = 0; i < count; i++)
        pthread_join(workers[i].thread, 0);
    long first = workers[0].result;
    free(workers);
    return (int)first;
}

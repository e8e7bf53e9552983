// property: race
// The loop that joins goes to its end; the twin's may leave it.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static pthread_t threads[1000];
static int data[1000];

static void *work(void *argument)
{
    int *mine = argument;
    *mine = 1;
    return 0;
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        pthread_create(&threads[i], 0, work, &data[i]);
    for (int i = 0; i < 1000; i++) {
#ifdef TWIN
        if (__VERIFIER_nondet_int())
            break;
#endif
        if (pthread_join(threads[i], 0))
            abort();
    }
    return data[7];
}

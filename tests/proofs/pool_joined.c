// property: race
// A loop that joins all threads of a pool comes before the last look at what they write; its twin leaves out the last one.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    int count = __VERIFIER_nondet_int();
    if (count < 1)
        return 0;
    pthread_t *threads = malloc(count * sizeof *threads);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], 0, work, 0);
#ifdef TWIN
    count--;
#endif
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
    free(threads);
    return total;
}

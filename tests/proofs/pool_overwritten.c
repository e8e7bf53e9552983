// property: race
// A handle for each thread; the twin keeps only the last one.
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#ifdef TWIN
#define PLACE(i) 0 * i
#else
#define PLACE(i) i
#endif

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
    pthread_t *threads = calloc(count < 1 ? 1 : count, sizeof *threads);
    int i;
    for (i = 0; i < count; i++)
        pthread_create(&threads[PLACE(i)], 0, work, 0);
    for (i = 0; i < count; i++)
        pthread_join(threads[PLACE(i)], 0);
    return total;
}

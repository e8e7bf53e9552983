// property: race
// Joining a pool says something of its own threads only; in the twin another one like them is created elsewhere.
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
    pthread_t *threads = malloc((count < 1 ? 1 : count) * sizeof *threads);
    for (int i = 0; i < count; i++) {
        pthread_create(&threads[i], 0, work, 0);
#ifdef TWIN
        pthread_t another;
        pthread_create(&another, 0, work, 0);
#endif
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], 0);
    return total;
}

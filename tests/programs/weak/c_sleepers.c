// check: unsafe deadlock
// args: --memory-model tso --property deadlock
// headline lazy cbmc --rounds 3 --unwind 2: unsafe (deadlock at c_sleepers.c:17)
// Whoever does not see the other goes to sleep; under TSO both do, with nothing left in a buffer that could wake them.
#include <pthread.h>
#include <semaphore.h>

static int here[2];
static sem_t bell[2];

static void *left(void *unused)
{
    here[0] = 1;
    if (here[1])
        sem_post(&bell[1]);
    else
        sem_wait(&bell[0]);
    return unused;
}

static void *right(void *unused)
{
    here[1] = 1;
    if (here[0])
        sem_post(&bell[0]);
    else
        sem_wait(&bell[1]);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    sem_init(&bell[0], 0, 0);
    sem_init(&bell[1], 0, 0);
    pthread_create(&threads[0], 0, left, 0);
    pthread_create(&threads[1], 0, right, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return 0;
}

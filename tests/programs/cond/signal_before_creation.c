// check: unsafe assertion
// args: --property assertion --no-spurious-wakeups
// headline explicit --reduction dpor: unsafe (assertion at signal_before_creation.c:28)
// The signal may come before the waiting thread is created, and then after it waits: going through all threads depends on
// what those do that are still to come.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t go;

void *signaller(void *unused)
{
    sem_post(&go);
    pthread_cond_signal(&condition);
    return unused;
}

void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    int woken = 1;
    // A signal that nobody waited for is lost.
    assert(!woken); //~ violation
    return unused;
}

int main(void)
{
    pthread_t first, second;
    sem_init(&go, 0, 0);
    pthread_create(&first, 0, signaller, 0);
    sem_wait(&go);
    pthread_create(&second, 0, waiter, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}

// wrong: tso pso
// The other thread waits in a lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *thread_1(void *unused)
{
    x = 1;
    a = y;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

void *thread_2(void *unused)
{
    pthread_mutex_lock(&lock);
    y = 1;
    b = x;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b == 1);
    return 0;
}

// wrong: never
// An unrelated lock drains.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include "two_threads.h"

int x, y, a, b;
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

void *thread_1(void *unused)
{
    x = 1;
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    a = y;
    return unused;
}

void *thread_2(void *unused)
{
    y = 1;
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    b = x;
    return unused;
}

int main(void)
{
    run_both();
    assert(a == 1 || b == 1);
    return 0;
}

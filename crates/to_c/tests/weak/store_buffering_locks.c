// wrong: never
// An unrelated lock drains.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *thread_1(void *unused)
{
    x = 1;
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    a = y;
    return unused;
}

static void *thread_2(void *unused)
{
    y = 1;
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    b = x;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(a == 1 || b == 1);
    return 0;
}

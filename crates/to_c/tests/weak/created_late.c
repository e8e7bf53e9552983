// wrong: never
// Creating a thread drains.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int x, y, a, b;
void *late(void *unused) { b = x; return unused; }

static void *thread_1(void *unused)
{
    pthread_t other;
    x = 1;
    y = 1;
    pthread_create(&other, 0, late, 0);
    pthread_join(other, 0);
    return unused;
}

static void *thread_2(void *unused)
{
    a = y;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(b == 1);
    return 0;
}

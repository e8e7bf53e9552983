// wrong: tso pso
// A copy of memory finds own stores.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { int first; int second; int more[6]; } shared, copy;
int y, a, b;

static void *thread_1(void *unused)
{
    shared.second = 1;
    copy = shared;
    a = y;
    return unused;
}

static void *thread_2(void *unused)
{
    y = 1;
    b = shared.second;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(copy.second == 1);
    assert(a == 1 || b == 1);
    return 0;
}

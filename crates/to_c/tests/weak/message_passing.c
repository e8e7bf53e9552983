// wrong: pso
// The flag overtakes the data.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

int data, flag, seen, value;

static void *thread_1(void *unused)
{
    data = 1;
    flag = 1;
    return unused;
}

static void *thread_2(void *unused)
{
    seen = flag;
    value = data;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, thread_1, 0);
    pthread_create(&threads[1], 0, thread_2, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(!seen || value == 1);
    return 0;
}

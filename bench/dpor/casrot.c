/* N threads, each of which turns the value from its own number into the next one's, if it finds its own. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 6
#endif

static atomic_int value = 1;

static void *turn(void *argument)
{
    int me = (int)(long)argument, expected = me;
    atomic_compare_exchange_strong(&value, &expected, me % N + 1);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 1; i <= N; i++)
        pthread_create(&threads[i - 1], 0, turn, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

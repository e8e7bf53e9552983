/* One thread looks for the last zero of an array, from its end; N others each add one to the element before their own. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 8
#endif

static atomic_int array[N + 1];

static void *look(void *argument)
{
    (void)argument;
    int i = N;
    while (atomic_load(&array[i]) != 0)
        i--;
    return 0;
}

static void *add(void *argument)
{
    int me = (int)(long)argument;
    atomic_store(&array[me], atomic_load(&array[me - 1]) + 1);
    return 0;
}

int main(void)
{
    pthread_t reader, writers[N];
    pthread_create(&reader, 0, look, 0);
    for (long i = 1; i <= N; i++)
        pthread_create(&writers[i - 1], 0, add, (void *)i);
    pthread_join(reader, 0);
    for (int i = 0; i < N; i++)
        pthread_join(writers[i], 0);
    return 0;
}

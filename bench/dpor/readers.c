/* One thread writes N cells; each of N others reads one of them: 2^N orders. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 8
#endif

static atomic_int cell[N];

static void *write_all(void *argument)
{
    (void)argument;
    for (int i = 0; i < N; i++)
        atomic_store(&cell[i], 1);
    return 0;
}

static void *read_one(void *argument)
{
    return (void *)(long)atomic_load(&cell[(long)argument]);
}

int main(void)
{
    pthread_t writer, readers[N];
    pthread_create(&writer, 0, write_all, 0);
    for (long i = 0; i < N; i++)
        pthread_create(&readers[i], 0, read_one, (void *)i);
    pthread_join(writer, 0);
    for (int i = 0; i < N; i++)
        pthread_join(readers[i], 0);
    return 0;
}

/* Each of N threads enters four numbers of its own into a hash table with 128 places. Up to 11 threads nobody collides. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 12
#endif
enum { SIZE = 128, MAX = 4 };

static atomic_int table[SIZE];

static void *enter(void *argument)
{
    int me = (int)(long)argument;
    for (int m = 0; m < MAX; m++) {
        int word = m * 11 + me + 1;
        int hash = word * 7 % SIZE;
        int empty = 0;
        while (!atomic_compare_exchange_strong(&table[hash], &empty, word)) {
            hash = (hash + 1) % SIZE;
            empty = 0;
        }
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, enter, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

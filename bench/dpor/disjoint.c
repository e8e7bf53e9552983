/* N threads that work on places of their own, behind one lock each: a single order. */
#include <pthread.h>

#ifndef N
#define N 8
#endif

static pthread_mutex_t lock[N];
static int cell[N];

static void *work(void *argument)
{
    long me = (long)argument;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock[me]);
        cell[me]++;
        pthread_mutex_unlock(&lock[me]);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&lock[i], 0);
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], 0);
    return 0;
}

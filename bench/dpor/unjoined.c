/* N threads take a ticket each, and nobody waits for them: n! orders, and the end of the process comes behind all of them. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 5
#endif

static atomic_int tickets;
static int ticket[N];

static void *take(void *argument)
{
    ticket[(long)argument] = atomic_fetch_add(&tickets, 1);
    return 0;
}

int main(void)
{
    pthread_t threads[N];
    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], 0, take, (void *)i);
    return 0;
}

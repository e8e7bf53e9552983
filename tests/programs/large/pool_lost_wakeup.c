// check: unsafe deadlock
// lazy: skip too large for small bounds
// A pool with a bounded queue: thieves of one condition variable. Producers and consumers wait for the same one, and a single
// signal may wake the wrong kind.
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, TASKS = 12, ROOM = 2 };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int queue[ROOM], head, size, stop;
    pthread_t threads[THREADS];
};

static int done[TASKS];

static void *serve(void *argument)
{
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->size == 0 && !pool->stop)
            pthread_cond_wait(&pool->changed, &pool->lock);
        if (pool->size == 0)
            break;
        int task = pool->queue[pool->head];
        pool->head = (pool->head + 1) % ROOM;
        pool->size--;
        pthread_cond_signal(&pool->changed);
        pthread_mutex_unlock(&pool->lock);
        done[task] = 1;
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void pool_add(struct pool *pool, int task)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->size == ROOM)
        pthread_cond_wait(&pool->changed, &pool->lock);
    pool->queue[(pool->head + pool->size++) % ROOM] = task;
    pthread_cond_signal(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

int main(void)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&pool->threads[i], NULL, serve, pool);
    for (int i = 0; i < TASKS; i++)
        pool_add(pool, i);
    pthread_mutex_lock(&pool->lock);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(pool->threads[i], NULL);
    free(pool);
    return 0;
}

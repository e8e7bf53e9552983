// check: unsafe deadlock
// lazy: skip too large for small bounds
// A pool with a bounded queue, as compressors have. The last worker to become idle says so without the lock: whoever has just
// seen that there is work left waits for ever.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 4, TASKS = 30, ROOM = 4 };

struct job {
    void (*run)(void *);
    void *argument;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t pushed, popped, idle;
    struct job queue[ROOM];
    int head, tail, stop;
    atomic_int open;
    pthread_t threads[THREADS];
};

static void *serve(void *argument)
{
    struct pool *pool = argument;
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        while (pool->head == pool->tail && !pool->stop)
            pthread_cond_wait(&pool->pushed, &pool->lock);
        if (pool->head == pool->tail) {
            pthread_mutex_unlock(&pool->lock);
            return NULL;
        }
        struct job job = pool->queue[pool->head];
        pool->head = (pool->head + 1) % ROOM;
        pthread_cond_signal(&pool->popped);
        pthread_mutex_unlock(&pool->lock);
        job.run(job.argument);
        if (atomic_fetch_sub(&pool->open, 1) == 1)
            pthread_cond_broadcast(&pool->idle);
    }
}

static struct pool *pool_create(void)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->pushed, NULL);
    pthread_cond_init(&pool->popped, NULL);
    pthread_cond_init(&pool->idle, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&pool->threads[i], NULL, serve, pool);
    return pool;
}

static void pool_add(struct pool *pool, void (*run)(void *), void *argument)
{
    pthread_mutex_lock(&pool->lock);
    while ((pool->tail + 1) % ROOM == pool->head)
        pthread_cond_wait(&pool->popped, &pool->lock);
    atomic_fetch_add(&pool->open, 1);
    pool->queue[pool->tail] = (struct job){run, argument};
    pool->tail = (pool->tail + 1) % ROOM;
    pthread_cond_signal(&pool->pushed);
    pthread_mutex_unlock(&pool->lock);
}

static void pool_free(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->open > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pool->stop = 1;
    pthread_cond_broadcast(&pool->pushed);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(pool->threads[i], NULL);
    free(pool);
}

static atomic_int sum;

static void add(void *number)
{
    sum += *(int *)number;
}

int main(void)
{
    static int numbers[TASKS];
    struct pool *pool = pool_create();
    for (int i = 0; i < TASKS; i++) {
        numbers[i] = i;
        pool_add(pool, add, &numbers[i]);
    }
    pool_free(pool);
    return 0;
}

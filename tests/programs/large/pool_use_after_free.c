// check: unsafe memory
// lazy: skip too large for small bounds
// Four threads, forty tasks. A thread counts itself as gone before it has left the lock, and the pool is freed then.
#include <pthread.h>
#include <stdlib.h>

struct task {
    void (*run)(int *);
    int *argument;
    struct task *next;
};

struct pool {
    pthread_mutex_t lock, count;
    pthread_cond_t work, idle;
    struct task *first, *last;
    int working;
    volatile int alive, keepalive;
};

static void *serve(void *argument)
{
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->count);
    pool->alive++;
    pthread_mutex_unlock(&pool->count);
    for (;;) {
        pthread_mutex_lock(&pool->lock);
        while (!pool->first && pool->keepalive)
            pthread_cond_wait(&pool->work, &pool->lock);
        struct task *task = pool->first;
        if (task) {
            pool->first = task->next;
            if (!pool->first)
                pool->last = NULL;
            pool->working++;
        }
        pthread_mutex_unlock(&pool->lock);
        if (!task)
            break;
        task->run(task->argument);
        free(task);
        pthread_mutex_lock(&pool->lock);
        if (--pool->working == 0 && !pool->first)
            pthread_cond_signal(&pool->idle);
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_mutex_lock(&pool->count);
    pool->alive--;
    pthread_mutex_unlock(&pool->count); //~ violation
    return NULL;
}

static struct pool *pool_create(int threads)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->count, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->keepalive = 1;
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve, pool);
        pthread_detach(thread);
    }
    while (pool->alive != threads) {
    }
    return pool;
}

static void pool_add(struct pool *pool, void (*run)(int *), int *argument)
{
    struct task *task = malloc(sizeof *task);
    *task = (struct task){run, argument, NULL};
    pthread_mutex_lock(&pool->lock);
    if (pool->last)
        pool->last->next = task;
    else
        pool->first = task;
    pool->last = task;
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

static void pool_wait(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->first || pool->working)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void pool_destroy(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->keepalive = 0;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    while (pool->alive) {
    }
    free(pool);
}

static void square(int *number)
{
    *number *= *number;
}

static int numbers[40];

int main(void)
{
    struct pool *pool = pool_create(4);
    for (int i = 0; i < 40; i++) {
        numbers[i] = i;
        pool_add(pool, square, &numbers[i]);
    }
    pool_wait(pool);
    pool_destroy(pool);
    return 0;
}

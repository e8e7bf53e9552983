// check: safe
// headline explicit -DBUG_IDLE: unsafe (assertion at job_pool.c:174)
// headline explicit -DBUG_STOP: unsafe (deadlock at job_pool.c:34)
// headline explicit -DBUG_UAF: unsafe (memory at job_pool.c:32)
// lazy: skip the searches of many engines would take minutes
// A pool that can be waited for, as a program with options has it. Planted: an idle signal that looks at too little and is not
// looked at again, a stop that is not under the lock, one thread that is not joined.
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

typedef void (*job_fn)(void *);
struct job { job_fn fn; void *arg; struct job *next; };
struct tpool {
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    struct job *head, **tail;
    int threads, busy, queued;
    bool stop;
    pthread_t *ids;
};

static void *worker(void *arg)
{
    struct tpool *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->lock);
        while (!p->head && !p->stop)
            pthread_cond_wait(&p->work, &p->lock);
        if (!p->head && p->stop) {
            pthread_mutex_unlock(&p->lock);
            return NULL;
        }
        struct job *j = p->head;
        p->head = j->next;
        if (!p->head)
            p->tail = &p->head;
        p->queued--;
        p->busy++;
        pthread_mutex_unlock(&p->lock);
        j->fn(j->arg);
        free(j);
        pthread_mutex_lock(&p->lock);
        p->busy--;
#ifdef BUG_IDLE
        if (p->busy == 0)
#else
        if (p->busy == 0 && p->queued == 0)
#endif
            pthread_cond_broadcast(&p->idle);
        pthread_mutex_unlock(&p->lock);
    }
}

struct tpool *tpool_create(int n)
{
    struct tpool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->tail = &p->head;
    p->ids = calloc(n, sizeof *p->ids);
    if (!p->ids) {
        free(p);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    for (int i = 0; i < n; i++) {
        int err = pthread_create(&p->ids[i], NULL, worker, p);
        if (err) {
            fprintf(stderr, "pthread_create: %s\n", strerror(err));
            break;
        }
        p->threads++;
    }
    return p;
}

int tpool_add(struct tpool *p, job_fn fn, void *arg)
{
    struct job *j = malloc(sizeof *j);
    if (!j)
        return -ENOMEM;
    j->fn = fn;
    j->arg = arg;
    j->next = NULL;
    pthread_mutex_lock(&p->lock);
    *p->tail = j;
    p->tail = &j->next;
    p->queued++;
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

void tpool_wait(struct tpool *p)
{
    pthread_mutex_lock(&p->lock);
#ifdef BUG_IDLE
    if (p->queued || p->busy)
#else
    while (p->queued || p->busy)
#endif
        pthread_cond_wait(&p->idle, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

void tpool_destroy(struct tpool *p)
{
#ifndef BUG_STOP
    pthread_mutex_lock(&p->lock);
#endif
    p->stop = true;
#ifdef BUG_STOP
    pthread_cond_broadcast(&p->work);
#else
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
#endif
#ifdef BUG_UAF
    for (int i = 0; i < p->threads - 1; i++)
#else
    for (int i = 0; i < p->threads; i++)
#endif
        pthread_join(p->ids[i], NULL);
#ifndef BUG_UAF
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->idle);
#endif
    free(p->ids);
    free(p);
}

static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static void add(void *arg)
{
    long v = (long)arg;
    pthread_mutex_lock(&sum_lock);
    sum += v;
    pthread_mutex_unlock(&sum_lock);
}

int main(int argc, char **argv)
{
    int threads = 2, jobs = 3, opt;
    bool verbose = false;
    while ((opt = getopt(argc, argv, "t:n:v")) != -1) {
        switch (opt) {
        case 't': threads = atoi(optarg); break;
        case 'n': jobs = atoi(optarg); break;
        case 'v': verbose = true; break;
        default:
            fprintf(stderr, "usage: %s [-t threads] [-n jobs] [-v]\n", argv[0]);
            return EXIT_FAILURE;
        }
    }
    struct tpool *p = tpool_create(threads);
    if (!p) {
        perror("tpool_create");
        return EXIT_FAILURE;
    }
    for (long i = 1; i <= jobs; i++)
        tpool_add(p, add, (void *)i);
    tpool_wait(p);
    long result = sum;
    assert(result == (long)jobs * (jobs + 1) / 2);
    if (verbose)
        printf("sum %ld\n", result);
    tpool_destroy(p);
    return 0;
}

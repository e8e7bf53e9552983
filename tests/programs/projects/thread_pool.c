// check: unsafe memory
// A pool of threads with a binary semaphore: its queue is freed while a thread may still be leaving.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile int threads_keepalive;
static volatile int threads_on_hold;

typedef struct bsem {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    int v;
} bsem;
typedef struct job {
    struct job *prev;
    void (*function)(void *arg);
    void *arg;
} job;
typedef struct jobqueue {
    pthread_mutex_t rwmutex;
    job *front;
    job *rear;
    bsem *has_jobs;
    int len;
} jobqueue;
typedef struct thread {
    int id;
    pthread_t pthread;
    struct thpool_ *thpool_p;
} thread;
typedef struct thpool_ {
    thread **threads;
    volatile int num_threads_alive;
    volatile int num_threads_working;
    pthread_mutex_t thcount_lock;
    pthread_cond_t threads_all_idle;
    jobqueue jobqueue;
} thpool_;
typedef struct thpool_ *threadpool;

static int thread_init(thpool_ *thpool_p, struct thread **thread_p, int id);
static void *thread_do(struct thread *thread_p);
static void thread_hold(int sig_id);
static int jobqueue_init(jobqueue *jobqueue_p);
static void jobqueue_push(jobqueue *jobqueue_p, struct job *newjob_p);
static struct job *jobqueue_pull(jobqueue *jobqueue_p);
static void jobqueue_destroy(jobqueue *jobqueue_p);
static void bsem_init(struct bsem *bsem_p, int value);
static void bsem_post(struct bsem *bsem_p);
static void bsem_post_all(struct bsem *bsem_p);
static void bsem_wait(struct bsem *bsem_p);

struct thpool_ *thpool_init(int num_threads) {
    threads_on_hold = 0;
    threads_keepalive = 1;
    if (num_threads < 0)
        num_threads = 0;
    thpool_ *thpool_p = (struct thpool_ *)malloc(sizeof(struct thpool_));
    if (thpool_p == NULL) {
        fprintf(stderr, "thpool_init(): Could not allocate memory for thread pool\n");
        return NULL;
    }
    thpool_p->num_threads_alive = 0;
    thpool_p->num_threads_working = 0;
    if (jobqueue_init(&thpool_p->jobqueue) == -1) {
        free(thpool_p);
        return NULL;
    }
    thpool_p->threads = (struct thread **)malloc(num_threads * sizeof(struct thread *));
    if (thpool_p->threads == NULL) {
        jobqueue_destroy(&thpool_p->jobqueue);
        free(thpool_p);
        return NULL;
    }
    pthread_mutex_init(&(thpool_p->thcount_lock), NULL);
    pthread_cond_init(&thpool_p->threads_all_idle, NULL);
    int n;
    for (n = 0; n < num_threads; n++)
        thread_init(thpool_p, &thpool_p->threads[n], n);
    while (thpool_p->num_threads_alive != num_threads) {
    }
    return thpool_p;
}
int thpool_add_work(thpool_ *thpool_p, void (*function_p)(void *), void *arg_p) {
    job *newjob = (struct job *)malloc(sizeof(struct job));
    if (newjob == NULL)
        return -1;
    newjob->function = function_p;
    newjob->arg = arg_p;
    jobqueue_push(&thpool_p->jobqueue, newjob);
    return 0;
}
void thpool_wait(thpool_ *thpool_p) {
    pthread_mutex_lock(&thpool_p->thcount_lock);
    while (thpool_p->jobqueue.len || thpool_p->num_threads_working)
        pthread_cond_wait(&thpool_p->threads_all_idle, &thpool_p->thcount_lock);
    pthread_mutex_unlock(&thpool_p->thcount_lock);
}
void thpool_destroy(thpool_ *thpool_p) {
    if (thpool_p == NULL)
        return;
    volatile int threads_total = thpool_p->num_threads_alive;
    threads_keepalive = 0;
    double TIMEOUT = 1.0;
    time_t start, end;
    double tpassed = 0.0;
    time(&start);
    while (tpassed < TIMEOUT && thpool_p->num_threads_alive) {
        bsem_post_all(thpool_p->jobqueue.has_jobs);
        time(&end);
        tpassed = difftime(end, start);
    }
    while (thpool_p->num_threads_alive) {
        bsem_post_all(thpool_p->jobqueue.has_jobs);
        sleep(1);
    }
    jobqueue_destroy(&thpool_p->jobqueue);
    int n;
    for (n = 0; n < threads_total; n++)
        free(thpool_p->threads[n]);
    free(thpool_p->threads);
    free(thpool_p);
}
static int thread_init(thpool_ *thpool_p, struct thread **thread_p, int id) {
    *thread_p = (struct thread *)malloc(sizeof(struct thread));
    if (*thread_p == NULL)
        return -1;
    (*thread_p)->thpool_p = thpool_p;
    (*thread_p)->id = id;
    pthread_create(&(*thread_p)->pthread, NULL, (void *(*)(void *))thread_do, (*thread_p));
    pthread_detach((*thread_p)->pthread);
    return 0;
}
static void thread_hold(int sig_id) {
    (void)sig_id;
    threads_on_hold = 1;
    while (threads_on_hold)
        sleep(1);
}
static void *thread_do(struct thread *thread_p) {
    char thread_name[16] = {0};
    snprintf(thread_name, 16, "thpool-%d", thread_p->id);
    prctl(PR_SET_NAME, thread_name);
    thpool_ *thpool_p = thread_p->thpool_p;
    struct sigaction act;
    sigemptyset(&act.sa_mask);
    act.sa_flags = 0;
    act.sa_handler = thread_hold;
    if (sigaction(SIGUSR1, &act, NULL) == -1)
        fprintf(stderr, "thread_do(): cannot handle SIGUSR1");
    pthread_mutex_lock(&thpool_p->thcount_lock);
    thpool_p->num_threads_alive += 1;
    pthread_mutex_unlock(&thpool_p->thcount_lock);
    while (threads_keepalive) {
        bsem_wait(thpool_p->jobqueue.has_jobs);
        if (threads_keepalive) {
            pthread_mutex_lock(&thpool_p->thcount_lock);
            thpool_p->num_threads_working++;
            pthread_mutex_unlock(&thpool_p->thcount_lock);
            void (*func_buff)(void *);
            void *arg_buff;
            job *job_p = jobqueue_pull(&thpool_p->jobqueue);
            if (job_p) {
                func_buff = job_p->function;
                arg_buff = job_p->arg;
                func_buff(arg_buff);
                free(job_p);
            }
            pthread_mutex_lock(&thpool_p->thcount_lock);
            thpool_p->num_threads_working--;
            if (!thpool_p->num_threads_working)
                pthread_cond_signal(&thpool_p->threads_all_idle);
            pthread_mutex_unlock(&thpool_p->thcount_lock);
        }
    }
    pthread_mutex_lock(&thpool_p->thcount_lock);
    thpool_p->num_threads_alive--;
    pthread_mutex_unlock(&thpool_p->thcount_lock);
    return NULL;
}
static int jobqueue_init(jobqueue *q) {
    q->len = 0;
    q->front = NULL;
    q->rear = NULL;
    q->has_jobs = (struct bsem *)malloc(sizeof(struct bsem));
    if (q->has_jobs == NULL)
        return -1;
    pthread_mutex_init(&(q->rwmutex), NULL);
    bsem_init(q->has_jobs, 0);
    return 0;
}
static void jobqueue_push(jobqueue *q, struct job *newjob) {
    pthread_mutex_lock(&q->rwmutex);
    newjob->prev = NULL;
    switch (q->len) {
    case 0:
        q->front = newjob;
        q->rear = newjob;
        break;
    default:
        q->rear->prev = newjob;
        q->rear = newjob;
    }
    q->len++;
    bsem_post(q->has_jobs);
    pthread_mutex_unlock(&q->rwmutex);
}
static struct job *jobqueue_pull(jobqueue *q) {
    pthread_mutex_lock(&q->rwmutex);
    job *job_p = q->front;
    switch (q->len) {
    case 0:
        break;
    case 1:
        q->front = NULL;
        q->rear = NULL;
        q->len = 0;
        break;
    default:
        q->front = job_p->prev;
        q->len--;
        bsem_post(q->has_jobs);
    }
    pthread_mutex_unlock(&q->rwmutex);
    return job_p;
}
static void jobqueue_destroy(jobqueue *q) {
    while (q->len)
        free(jobqueue_pull(q));
    q->front = NULL;
    q->rear = NULL;
    bsem_init(q->has_jobs, 0);
    q->len = 0;
    free(q->has_jobs);
}
static void bsem_init(bsem *b, int value) {
    if (value < 0 || value > 1) {
        fprintf(stderr, "bsem_init(): Binary semaphore can take only values 1 or 0");
        exit(1);
    }
    pthread_mutex_init(&(b->mutex), NULL);
    pthread_cond_init(&(b->cond), NULL);
    b->v = value;
}
static void bsem_post(bsem *b) {
    pthread_mutex_lock(&b->mutex);
    b->v = 1;
    pthread_cond_signal(&b->cond);
    pthread_mutex_unlock(&b->mutex);
}
static void bsem_post_all(bsem *b) {
    pthread_mutex_lock(&b->mutex);
    b->v = 1;
    pthread_cond_broadcast(&b->cond);
    pthread_mutex_unlock(&b->mutex);
}
static void bsem_wait(bsem *b) {
    pthread_mutex_lock(&b->mutex);
    while (b->v != 1)
        pthread_cond_wait(&b->cond, &b->mutex);
    b->v = 0;
    pthread_mutex_unlock(&b->mutex);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void increment(void *arg) {
    (void)arg;
    pthread_mutex_lock(&mutex);
    sum++;
    pthread_mutex_unlock(&mutex);
}
int main(int argc, char *argv[]) {
    threadpool thpool = thpool_init(2);
    for (int n = 0; n < 2; n++)
        thpool_add_work(thpool, increment, NULL);
    thpool_wait(thpool);
    printf("%d\n", sum);
    thpool_destroy(thpool);
    return sum == 2 ? 0 : 1;
}

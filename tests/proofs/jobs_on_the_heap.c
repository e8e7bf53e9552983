// Jobs are made without end, put on a stack, and done by many: what is in their fields lies within bounds. The twin forgets to
// write a field of some.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct job {
    int kind;
    int size;
    struct job *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *first;

static void *producer(void *unused) {
    for (;;) {
        int drawn = __VERIFIER_nondet_int();
        struct job *job = malloc(sizeof *job);
#ifdef TWIN
        if (drawn != 17)
            job->kind = drawn & 1;
#else
        job->kind = drawn & 1;
#endif
        job->size = 1 + (drawn & 7);
        pthread_mutex_lock(&lock);
        job->next = first;
        first = job;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *consumer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        struct job *job = first;
        if (job)
            first = job->next;
        pthread_mutex_unlock(&lock);
        if (job) {
            assert(job->kind >= 0 && job->kind <= 1);
            assert(job->size >= 0 && job->size <= 8);
        }
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, producer, 0);
        pthread_create(&thread, 0, consumer, 0);
    }
    pthread_exit(0);
}

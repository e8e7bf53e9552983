// Two workers share out jobs. Each job is taken under a lock, but two numbers lead to the same job.
//
//     selvedge check examples/job_pool.c --property race
//
// What to look for: a data race on a field of a job. The report shows both accesses, how each thread came there, and
// that neither holds a lock. Take a job for each number (jobs[n]), and there is none.
#include <pthread.h>
#include <stdlib.h>

enum { JOBS = 3 };

struct job {
    int input, result, done;
};

static struct job *jobs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next;

static void finish(struct job *job) {
    job->result = job->input * job->input;
    job->done = 1;
}

static void *work(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        int n = next++;
        pthread_mutex_unlock(&lock);
        if (n >= JOBS)
            return arg;
        finish(&jobs[n / 2]);
    }
}

int main(void) {
    pthread_t one, other;
    jobs = calloc(JOBS, sizeof *jobs);
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&other, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    free(jobs);
    return 0;
}

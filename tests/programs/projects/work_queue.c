// check: safe
// A queue of jobs whose options come from getopt_long.
#define _GNU_SOURCE
#include <err.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int nthreads = 2, njobs = 3;
static bool verbose;
static void usage(const char *p) {
    fprintf(stderr, "usage: %s [-t threads] [-n jobs] [-v]\n", p);
    exit(EXIT_FAILURE);
}
struct work {
    struct work *next;
    int id;
};
static struct work *head;
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *worker(void *arg) {
    long id = (long)arg;
    char name[16];
    snprintf(name, sizeof name, "worker-%ld", id);
    pthread_setname_np(pthread_self(), name);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(id % 2, &set);
    if (pthread_setaffinity_np(pthread_self(), sizeof set, &set))
        warnx("affinity");
    for (;;) {
        pthread_mutex_lock(&mu);
        struct work *w = head;
        if (w)
            head = w->next;
        pthread_mutex_unlock(&mu);
        if (!w)
            return NULL;
        if (verbose)
            printf("%s: job %d on %d\n", name, w->id, sched_getcpu());
        __sync_fetch_and_add(&done, 1);
        free(w);
    }
}
int main(int argc, char **argv) {
    int c;
    static const struct option opts[] = {
        {"threads", 1, 0, 't'}, {"jobs", 1, 0, 'n'}, {"verbose", 0, 0, 'v'}, {0, 0, 0, 0}};
    while ((c = getopt_long(argc, argv, "t:n:v", opts, NULL)) != -1)
        switch (c) {
        case 't':
            nthreads = strtol(optarg, NULL, 0);
            break;
        case 'n':
            njobs = atoi(optarg);
            break;
        case 'v':
            verbose = true;
            break;
        default:
            usage(argv[0]);
        }
    if (nthreads < 1)
        errx(1, "need threads");
    for (int i = 0; i < njobs; i++) {
        struct work *w = calloc(1, sizeof *w);
        if (!w)
            err(1, "calloc");
        w->id = i;
        w->next = head;
        head = w;
    }
    pthread_t *t = calloc(nthreads, sizeof *t);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 16);
    for (long i = 0; i < nthreads; i++)
        if (pthread_create(&t[i], &attr, worker, (void *)i))
            err(1, "pthread_create");
    for (int i = 0; i < nthreads; i++)
        pthread_join(t[i], NULL);
    if (done != njobs)
        errx(1, "lost jobs");
    free(t);
    return 0;
}

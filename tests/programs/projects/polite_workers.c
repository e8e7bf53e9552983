// check: safe
// args: -- -w 2 -n 3
// Workers take tasks from a counter and sleep for a random while between them, as tests of thread pools do: how long they
// sleep decides nothing.
// check -DEARLY_LOOK: unsafe assertion
// A worker looks at the counter before it has the lock: two do the same task, or one too many.
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_WORKERS 8

struct shop {
    pthread_mutex_t lock;
    int next, tasks;
    int done[64];
};

struct worker {
    pthread_t thread;
    struct shop *shop;
    int number, finished;
};

static int verbose;

static void die(const char *what, int error) {
    char text[64];
    fprintf(stderr, "%s: %s\n", what, strerror_r(error, text, sizeof text) ? "failed" : "");
    exit(EXIT_FAILURE);
}

static int take(struct shop *shop) {
#ifdef EARLY_LOOK
    int free = shop->next < shop->tasks;
    pthread_mutex_lock(&shop->lock);
#else
    pthread_mutex_lock(&shop->lock);
    int free = shop->next < shop->tasks;
#endif
    int task = free ? shop->next++ : -1;
    pthread_mutex_unlock(&shop->lock);
    return task;
}

static void *work(void *argument) {
    struct worker *self = argument;
    for (int task; (task = take(self->shop)) >= 0;) {
        usleep((rand() % 100) * 1000);
        self->shop->done[task]++;
        self->finished++;
        if (verbose)
            printf("worker %d: task %d\n", self->number, task);
    }
    return NULL;
}

static int number(const char *text, int most) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || *end || value < 1 || value > most) {
        fprintf(stderr, "not a number from 1 to %d: %s\n", most, text);
        exit(2);
    }
    return (int)value;
}

int main(int argc, char **argv) {
    struct shop shop = {.lock = PTHREAD_MUTEX_INITIALIZER, .tasks = 4};
    struct worker workers[MOST_WORKERS];
    int count = 2, option;
    while ((option = getopt(argc, argv, "n:w:v")) != -1)
        switch (option) {
        case 'n': shop.tasks = number(optarg, 64); break;
        case 'w': count = number(optarg, MOST_WORKERS); break;
        case 'v': verbose = 1; break;
        default: return 2;
        }
    srand(time(NULL));
    for (int i = 0; i < count; i++) {
        workers[i] = (struct worker){.shop = &shop, .number = i};
        int error = pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        if (error)
            die("pthread_create", error);
    }
    int finished = 0;
    for (int i = 0; i < count; i++) {
        pthread_join(workers[i].thread, NULL);
        finished += workers[i].finished;
    }
    assert(finished == shop.tasks); //~ violation
    for (int i = 0; i < shop.tasks; i++)
        assert(shop.done[i] == 1);
    return 0;
}

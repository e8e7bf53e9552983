// A worker says that it goes to sleep, and then looks for work once more. A client leaves work, and rings if the worker
// sleeps.
//
//     selvedge check examples/doorbell.c
//     selvedge check examples/doorbell.c --memory-model tso --fences
//
// What to look for: nothing, as long as every store is in memory at once. On x86 each thread may read before its own
// store has got there; then neither notices the other. A fence in each thread is the remedy.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static bool work, sleeping;
static bool rung, asleep;

static void *client(void *arg)
{
    work = true;
    if (sleeping)
        rung = true;
    return arg;
}

static void *worker(void *arg)
{
    sleeping = true;
    if (!work)
        asleep = true;
    return arg;
}

int main(void)
{
    pthread_t c, w;
    pthread_create(&c, NULL, client, NULL);
    pthread_create(&w, NULL, worker, NULL);
    pthread_join(c, NULL);
    pthread_join(w, NULL);
    assert(!asleep || rung);
    return 0;
}

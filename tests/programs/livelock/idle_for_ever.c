// check: safe
// lazy: skip loops without end
// A server: the worker waits for work that never comes, and main only sleeps.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int jobs;

static void *serve(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!jobs)
            pthread_cond_wait(&work, &lock);
        jobs--;
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, serve, 0);
    for (;;)
        sleep(1);
}

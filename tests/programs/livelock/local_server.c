// check: safe
// lazy: skip loops without end
// Main counts for ever what nobody looks at, while a worker waits: that is work.
#include <pthread.h>
#include <semaphore.h>

static sem_t jobs;
static volatile int ticks;

static void *serve(void *argument)
{
    (void)argument;
    for (;;)
        sem_wait(&jobs);
}

int main(void)
{
    pthread_t thread;
    sem_init(&jobs, 0, 0);
    pthread_create(&thread, 0, serve, 0);
    for (;;)
        ticks ^= 1;
}

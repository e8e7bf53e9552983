// check: safe
// A thread is told to stop by a signal whose handler sets a flag.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

static volatile sig_atomic_t stop;
static sem_t posted;

static void handler(int number) {
    stop = 1;
    sem_post(&posted);
}

static void *worker(void *arg) {
    while (sem_wait(&posted))
        ;
    assert(stop);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = handler};
    sem_init(&posted, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, worker, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}

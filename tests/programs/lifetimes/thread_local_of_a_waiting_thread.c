// check: safe
#include <pthread.h>
#include <semaphore.h>

static _Thread_local int own;
static int *published;
static sem_t ready, done;

static void *worker(void *arg) {
    published = &own;
    sem_post(&ready);
    sem_wait(&done);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    pthread_create(&t, 0, worker, 0);
    sem_wait(&ready);
    *published = 1;
    sem_post(&done);
    pthread_join(t, 0);
    return 0;
}

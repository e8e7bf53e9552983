// check: unsafe deadlock
// Semaphores used as locks, in two orders. Nobody owns a semaphore: only when all wait is it a deadlock.
#include <pthread.h>
#include <semaphore.h>

sem_t a, b;

void *worker(void *arg) {
    sem_wait(&b);
    sem_wait(&a); //~ violation
    sem_post(&a);
    sem_post(&b);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t, NULL, worker, NULL);
    sem_wait(&a);
    sem_wait(&b); //~ violation
    sem_post(&b);
    sem_post(&a);
    pthread_join(t, NULL);
    return 0;
}

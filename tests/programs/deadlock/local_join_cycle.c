// check: unsafe deadlock
// Two threads join each other; main does neither.
#include <pthread.h>
#include <semaphore.h>

pthread_t first, second;
sem_t ready;
volatile int ticks;

void *one(void *arg) {
    sem_wait(&ready);
    pthread_join(second, NULL); //~ violation
    return arg;
}

void *two(void *arg) {
    sem_wait(&ready);
    pthread_join(first, NULL); //~ violation
    return arg;
}

int main(void) {
    sem_init(&ready, 0, 0);
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&second, NULL, two, NULL);
    sem_post(&ready);
    sem_post(&ready);
    for (;;)
        ticks = !ticks;
}

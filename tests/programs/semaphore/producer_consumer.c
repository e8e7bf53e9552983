// check: safe
// One slot, two semaphores.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t empty, full;
int slot;

void *producer(void *arg) {
    for (int i = 1; i <= 3; i++) {
        sem_wait(&empty);
        slot = i;
        sem_post(&full);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 1; i <= 3; i++) {
        sem_wait(&full);
        assert(slot == i);
        sem_post(&empty);
    }
    pthread_join(t, NULL);
    sem_destroy(&empty);
    sem_destroy(&full);
    return 0;
}

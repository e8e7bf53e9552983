// check: unsafe assertion
// Two permits for one slot.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t empty, full;
int slot;

void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&empty);
        slot = i;
        sem_post(&full);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&empty, 0, 2);
    sem_init(&full, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_wait(&full);
    assert(slot == 1); //~ violation
    return 0;
}

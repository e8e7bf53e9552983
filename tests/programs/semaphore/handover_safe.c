// check: safe
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t ready;
int data;

void *producer(void *arg) {
    (void)arg;
    data = 7;
    sem_post(&ready);
    return NULL;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, producer, NULL);
    sem_wait(&ready);
    assert(data == 7);
    pthread_join(t, NULL);
    sem_destroy(&ready);
    return 0;
}

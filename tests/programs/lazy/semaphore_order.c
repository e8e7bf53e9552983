// check: safe
// args: --engine lazy
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t ready;
int data;

void *writer(void *arg) {
    data = 3;
    sem_post(&ready);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, writer, NULL);
    sem_wait(&ready);
    assert(data == 3);
    pthread_join(t, NULL);
    return 0;
}

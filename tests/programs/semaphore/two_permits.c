// check: unsafe assertion
// A semaphore with two permits is no mutex.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t permits;
int inside;

void *worker(void *arg) {
    (void)arg;
    sem_wait(&permits);
    inside++;
    assert(inside == 1); //~ violation
    inside--;
    sem_post(&permits);
    return NULL;
}

int main(void) {
    pthread_t t;
    sem_init(&permits, 0, 2);
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}

// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t permits;
int inside;

void *worker(void *arg) {
    sem_wait(&permits);
    inside++;
    assert(inside == 1); //~ violation
    inside--;
    sem_post(&permits);
    return arg;
}

int main(void) {
    pthread_t a, b;
    sem_init(&permits, 0, 2);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}

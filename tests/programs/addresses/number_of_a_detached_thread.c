// check: unsafe assertion
// check -DRUNS_ON: safe
// The number of a detached thread is free once it has ended, and not before.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t step;

static void *detached(void *arg) {
    sem_post(&step);
#ifdef RUNS_ON
    sem_wait((sem_t *)arg);
#endif
    return arg;
}

static void *nothing(void *arg) { return arg; }

int main(void) {
    static sem_t end;
    pthread_t one, other;
    sem_init(&step, 0, 0);
    sem_init(&end, 0, 0);
    pthread_create(&one, NULL, detached, &end);
    pthread_detach(one);
    sem_wait(&step);
    pthread_create(&other, NULL, nothing, NULL);
    assert(!pthread_equal(one, other)); //~ violation
    pthread_join(other, NULL);
    sem_post(&end);
    return 0;
}

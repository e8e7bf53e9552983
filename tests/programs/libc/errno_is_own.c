// check: safe
// Each thread has its own errno.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;

void *worker(void *arg) {
    errno = 5;
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, NULL, worker, NULL);
    errno = 0;
    sem_trywait(&s);
    assert(errno == EAGAIN);
    pthread_join(t, NULL);
    return 0;
}

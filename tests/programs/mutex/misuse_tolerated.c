// check: safe
// args: --property assertion
// Misused in many ways, and each time it goes on as on Linux. Only assertions are asked for.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t spin;
sem_t s;

void *nothing(void *arg) {
    return arg;
}

int main(void) {
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&n) == 0);
    assert(pthread_mutex_destroy(&n) == EBUSY);
    assert(pthread_mutex_unlock(&n) == 0);

    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    assert(pthread_spin_unlock(&spin) == 0);
    assert(pthread_spin_trylock(&spin) == 0);

    sem_init(&s, 0, 1);
    sem_destroy(&s);
    assert(sem_wait(&s) == 0);
    assert(sem_trywait(&s) == -1 && errno == EAGAIN);

    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    assert(pthread_detach(t) == 0);
    assert(pthread_detach(t) == EINVAL);
    assert(pthread_join(t, NULL) == EINVAL);
    return 0;
}

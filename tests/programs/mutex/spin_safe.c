// check: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_spinlock_t lock;
int counter;

void *worker(void *arg) {
    (void)arg;
    pthread_spin_lock(&lock);
    assert(pthread_spin_trylock(&lock) == EBUSY);
    counter++;
    pthread_spin_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(counter == 2);
    pthread_spin_destroy(&lock);
    return 0;
}

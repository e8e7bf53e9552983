// check: unsafe assertion
// Two readers can be inside together, and a read lock does not protect a write.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int counter;

void *worker(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    counter++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(counter == 2); //~ violation
    return 0;
}

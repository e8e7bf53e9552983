// check: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_rwlock_t lock;

void *other(void *arg) {
    (void)arg;
    assert(pthread_rwlock_tryrdlock(&lock) == 0);
    assert(pthread_rwlock_trywrlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_init(&lock, NULL);
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_trywrlock(&lock) == 0);
    assert(pthread_rwlock_tryrdlock(&lock) == EBUSY);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_destroy(&lock);
    return 0;
}

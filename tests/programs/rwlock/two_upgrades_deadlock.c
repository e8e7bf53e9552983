// check: unsafe deadlock
// Two readers, each waiting for the other to go before it writes.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    if (pthread_rwlock_trywrlock(&lock) != 0)
        pthread_rwlock_wrlock(&lock); //~ violation
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    reader(NULL);
    pthread_join(t, NULL); //~ violation
    return 0;
}

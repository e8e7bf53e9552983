// check: unsafe lock
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *other(void *arg) {
    (void)arg;
    pthread_rwlock_unlock(&lock); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_wrlock(&lock);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    return 0;
}

// check: safe
// Readers never see the pair half written.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int a, b;

void *writer(void *arg) {
    (void)arg;
    pthread_rwlock_wrlock(&lock);
    a++;
    b++;
    pthread_rwlock_unlock(&lock);
    return NULL;
}

void *reader(void *arg) {
    (void)arg;
    pthread_rwlock_rdlock(&lock);
    assert(a == b);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_create(&t[2], NULL, writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(a == 2);
    pthread_rwlock_destroy(&lock);
    return 0;
}

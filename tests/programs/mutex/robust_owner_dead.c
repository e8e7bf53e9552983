// check: safe
// The owner of a robust mutex ends; the next one is told, repairs it, and all is well.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m;
int told;

void *dies(void *arg) {
    int error = pthread_mutex_lock(&m);
    if (error == EOWNERDEAD) {
        told++;
        pthread_mutex_consistent(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    pthread_create(&t, NULL, dies, NULL);
    pthread_create(&u, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(told == 1);
    assert(pthread_mutex_trylock(&m) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&m) == 0);
    assert(pthread_mutex_consistent(&m) == EINVAL);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}

// check: safe
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

void *other(void *arg) {
    (void)arg;
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_trylock(&m) == EBUSY);
    return NULL;
}

int main(void) {
    pthread_t t;
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(pthread_mutex_lock(&m) == 0);
    assert(pthread_mutex_lock(&m) == EDEADLK);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    assert(pthread_mutex_unlock(&m) == 0);
    return 0;
}

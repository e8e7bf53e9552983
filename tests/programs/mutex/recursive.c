// check: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m;
int inside;

void *worker(void *arg) {
    (void)arg;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    inside++;
    pthread_mutex_unlock(&m);
    assert(inside == 1);
    inside--;
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(pthread_mutex_unlock(&m) == EPERM);
    pthread_mutex_destroy(&m);
    return 0;
}

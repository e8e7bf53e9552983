// check: unsafe deadlock
// A robust mutex does not help while its owner lives.
#include <pthread.h>

pthread_mutex_t a, b;

void *worker(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); //~ violation
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&a, &attr);
    pthread_mutex_init(&b, &attr);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ violation
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
    return 0;
}

// check: unsafe deadlock
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); //~ violation
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); //~ violation
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, NULL);
    return 0;
}

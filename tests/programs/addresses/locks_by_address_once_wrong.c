// check: unsafe deadlock
// One thread takes the locks by address, the other one by name: wrong if the second lies first.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t *one, pthread_mutex_t *other) {
    pthread_mutex_t *first = one < other ? one : other, *second = one < other ? other : one;
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
}

static void *worker(void *arg) {
    lock_both(&a, &b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, 0);
    return 0;
}

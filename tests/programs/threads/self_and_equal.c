// check: safe
#include <assert.h>
#include <pthread.h>

pthread_t made;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg) {
    assert(!pthread_equal(pthread_self(), *(pthread_t *)arg));
    pthread_mutex_lock(&m);
    assert(pthread_equal(pthread_self(), made));
    pthread_mutex_unlock(&m);
    return NULL;
}

int main(void) {
    pthread_t me = pthread_self();
    pthread_mutex_lock(&m);
    pthread_create(&made, NULL, worker, &me);
    pthread_mutex_unlock(&m);
    pthread_join(made, NULL);
    return 0;
}

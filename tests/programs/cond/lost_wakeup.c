// check: unsafe deadlock
// The flag is tested outside of the mutex: the signal can come before the wait.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

void *producer(void *arg) {
    (void)arg;
    ready = 1;
    pthread_cond_signal(&c);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m); //~ violation
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}

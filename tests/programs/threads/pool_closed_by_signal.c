// check: unsafe deadlock
// Closing wakes one worker only; the other waits for ever, and main for it.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
int closed;

void *worker(void *arg) {
    pthread_mutex_lock(&m);
    while (!closed)
        pthread_cond_wait(&filled, &m); //~ violation
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    pthread_mutex_lock(&m);
    closed = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL); //~ violation
    return 0;
}

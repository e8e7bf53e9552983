// check: unsafe deadlock
// The consumer does not tell the producer that there is room again.
#include <pthread.h>

enum { SIZE = 2 };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int count;

void *producer(void *arg) {
    while (1) {
        pthread_mutex_lock(&m);
        while (count == SIZE)
            pthread_cond_wait(&changed, &m); //~ violation
        count++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (1) {
        pthread_mutex_lock(&m);
        while (count == 0)
            pthread_cond_wait(&changed, &m); //~ violation
        count--;
        pthread_mutex_unlock(&m);
    }
}

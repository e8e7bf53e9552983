// check: unsafe deadlock
// Two kinds of waiters share a condition variable; the signal may wake the one it is not meant for.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int red, blue;

void *wants_red(void *arg) {
    pthread_mutex_lock(&m);
    while (!red)
        pthread_cond_wait(&c, &m); //~ violation
    blue = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

void *wants_blue(void *arg) {
    pthread_mutex_lock(&m);
    while (!blue)
        pthread_cond_wait(&c, &m); //~ violation
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t r, b;
    pthread_create(&r, NULL, wants_red, NULL);
    pthread_create(&b, NULL, wants_blue, NULL);
    pthread_mutex_lock(&m);
    red = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(r, NULL); //~ violation
    pthread_join(b, NULL);
    return 0;
}

// check: unsafe deadlock
#include <pthread.h>
#include <stdint.h>

enum { N = 3 };
pthread_mutex_t fork_[N];

void *philosopher(void *arg) {
    intptr_t i = (intptr_t)arg;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % N]); //~ violation
    pthread_mutex_unlock(&fork_[(i + 1) % N]);
    pthread_mutex_unlock(&fork_[i]);
    return NULL;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&fork_[i], NULL);
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], NULL, philosopher, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL); //~ violation
    return 0;
}

// check: safe
// The same two orders, but main breaks the circle: anybody may post a semaphore.
#include <pthread.h>
#include <semaphore.h>

sem_t a, b;

void *one(void *arg) {
    sem_wait(&a);
    sem_wait(&b);
    sem_post(&b);
    sem_post(&a);
    return arg;
}

void *two(void *arg) {
    sem_wait(&b);
    sem_wait(&a);
    sem_post(&a);
    sem_post(&b);
    return arg;
}

int main(void) {
    pthread_t t, u;
    sem_init(&a, 0, 1);
    sem_init(&b, 0, 1);
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    sem_post(&a);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}

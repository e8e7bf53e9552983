// check: unsafe deadlock
#include <pthread.h>
#include <semaphore.h>

sem_t gate;
int skip;

void *opener(void *arg) {
    (void)arg;
    if (!skip)
        sem_post(&gate);
    return NULL;
}

int main(void) {
    pthread_t t;
    sem_init(&gate, 0, 0);
    pthread_create(&t, NULL, opener, NULL);
    skip = 1;
    sem_wait(&gate); //~ violation
    pthread_join(t, NULL);
    return 0;
}

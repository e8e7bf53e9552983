// check: safe
// Four threads over a barrier for two: they pass in pairs, whoever meets whom.
#include <pthread.h>
#include <stddef.h>

pthread_barrier_t barrier;

void *worker(void *arg) {
    (void)arg;
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    worker(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}

// Four dining philosophers who all reach for the left fork first: deadlock.
#include <pthread.h>

#define N 4

static pthread_mutex_t forks[N];
static int numbers[N];

static void *dine(void *arg) {
    int me = *(int *)arg;
    for (;;) {
        pthread_mutex_lock(&forks[me]);
        pthread_mutex_lock(&forks[(me + 1) % N]);
        pthread_mutex_unlock(&forks[(me + 1) % N]);
        pthread_mutex_unlock(&forks[me]);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, dine, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

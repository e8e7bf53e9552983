// One producer, two consumers, a bounded buffer with a mutex and two condition variables.
#include <assert.h>
#include <pthread.h>

#define SIZE 2
#define ITEMS 4

static int buffer[SIZE], first, used, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg) {
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == SIZE)
            pthread_cond_wait(&not_full, &lock);
        buffer[(first + used) % SIZE] = i;
        used++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consume(void *arg) {
    for (int i = 0; i < ITEMS / 2; i++) {
        pthread_mutex_lock(&lock);
        while (used == 0)
            pthread_cond_wait(&not_empty, &lock);
        assert(buffer[first] == taken);
        taken++;
        first = (first + 1) % SIZE;
        used--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t producer, consumers[2];
    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    pthread_join(producer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(consumers[i], NULL);
    assert(taken == ITEMS && used == 0);
    return 0;
}

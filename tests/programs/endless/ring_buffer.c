// check: safe
// A producer and a consumer without end over a ring of two; the numbers run modulo four.
#include <assert.h>
#include <pthread.h>

enum { SIZE = 2 };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ring[SIZE], count, head, tail;

void *producer(void *arg) {
    for (int next = 0;; next = (next + 1) % 4) {
        pthread_mutex_lock(&m);
        while (count == SIZE)
            pthread_cond_wait(&changed, &m);
        ring[tail] = next;
        tail = (tail + 1) % SIZE;
        count++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    for (int expected = 0;; expected = (expected + 1) % 4) {
        pthread_mutex_lock(&m);
        while (count == 0)
            pthread_cond_wait(&changed, &m);
        int item = ring[head];
        head = (head + 1) % SIZE;
        count--;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&m);
        assert(item == expected);
    }
}

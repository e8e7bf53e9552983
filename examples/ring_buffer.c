// A bounded buffer between a producer and a consumer that both run for ever.
//
//     selvedge check examples/ring_buffer.c
//
// What to look for: the verdict is "safe", without any bound, although no loop ever ends: the reachable
// states are finitely many, and all of them were visited. Make it unsafe by replacing a `while` around
// pthread_cond_wait by `if` and adding a second consumer, or by dropping one of the signals (deadlock).
#include <assert.h>
#include <pthread.h>

enum { CAPACITY = 2, ITEMS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static int buffer[CAPACITY], count, head, tail;

static void put(int item) {
    pthread_mutex_lock(&lock);
    while (count == CAPACITY)
        pthread_cond_wait(&not_full, &lock);
    buffer[tail] = item;
    tail = (tail + 1) % CAPACITY;
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int get(void) {
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    int item = buffer[head];
    head = (head + 1) % CAPACITY;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *arg) {
    for (int item = 0;; item = (item + 1) % ITEMS)
        put(item);
    return arg;
}

int main(void) {
    pthread_t producer;
    pthread_create(&producer, NULL, produce, NULL);
    for (int expected = 0;; expected = (expected + 1) % ITEMS)
        assert(get() == expected);
}

/* A bounded queue. take() looks whether there is anything before it holds the lock, and does not look again. Its main uses
 * one thread, so it never fails; see docs/src/harness.md for how to check the functions themselves. */
#include <assert.h>
#include <pthread.h>

#define SIZE 4

static int items[SIZE];
static unsigned first, last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether there was room. */
int put(int item) {
    pthread_mutex_lock(&lock);
    int has_room = last - first < SIZE;
    if (has_room)
        items[last++ % SIZE] = item;
    pthread_mutex_unlock(&lock);
    return has_room;
}

/* The oldest item; -1 if there is none. */
int take(void) {
    if (first == last)
        return -1;
    pthread_mutex_lock(&lock);
    int item = items[first++ % SIZE];
    pthread_mutex_unlock(&lock);
    return item;
}

int main(void) {
    put(1);
    put(2);
    assert(take() == 1 && take() == 2 && take() == -1);
    return 0;
}

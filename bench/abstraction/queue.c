// A queue of messages with a lock: a sender and a receiver. The abstraction forgets what is in the messages, and
// keeps how many there are.
#include <pthread.h>

#define SLOTS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned char slots[SLOTS], next, received;
static int first, used;

static int view[2];

void update_abs(void) {
    view[0] = used;
    view[1] = first;
}

int fits(void) { return used >= 0 && used <= SLOTS; }

void *sender(void *arg) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (used == SLOTS)
            pthread_cond_wait(&changed, &lock);
        slots[(first + used) % SLOTS] = next++;
        used++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, sender, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        while (used == 0)
            pthread_cond_wait(&changed, &lock);
        received = slots[first];
        first = (first + 1) % SLOTS;
        used--;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
}

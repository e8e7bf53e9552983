// Producers wait while a buffer is full, consumers while it is empty. The twin looks again only once whether there is room.
#include <assert.h>
#include <pthread.h>

enum { ROOM = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled;

static void *producer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
#ifdef TWIN
        if (filled == ROOM)
#else
        while (filled == ROOM)
#endif
            pthread_cond_wait(&changed, &lock);
        filled++;
        assert(filled <= ROOM);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

static void *consumer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (filled == 0)
            pthread_cond_wait(&changed, &lock);
        filled--;
        assert(filled >= 0);
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, producer, 0);
        pthread_create(&thread, 0, consumer, 0);
    }
}

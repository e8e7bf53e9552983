// Readers and writers over a read-write lock, two of each, for ever.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int low, high;

static void *read_both(void *arg) {
    for (;;) {
        pthread_rwlock_rdlock(&lock);
        assert(low == high);
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

static void *write_both(void *arg) {
    for (;;) {
        pthread_rwlock_wrlock(&lock);
        low = (low + 1) % 4;
        high = (high + 1) % 4;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, read_both, NULL);
    pthread_create(&thread, NULL, read_both, NULL);
    pthread_create(&thread, NULL, write_both, NULL);
    write_both(NULL);
    return 0;
}

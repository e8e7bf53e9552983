// Any number of readers and writers share a read-write lock, whose word counts readers or names the writer.
// The twin writes while it only holds the lock for reading.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int shared;

static void *writer(void *unused) {
#ifdef TWIN
    pthread_rwlock_rdlock(&lock);
#else
    pthread_rwlock_wrlock(&lock);
#endif
    shared = 1;
    shared = 0;
    pthread_rwlock_unlock(&lock);
    return 0;
}

static void *reader(void *unused) {
    pthread_rwlock_rdlock(&lock);
    assert(shared == 0);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;) {
        pthread_create(&thread, 0, writer, 0);
        pthread_create(&thread, 0, reader, 0);
    }
}

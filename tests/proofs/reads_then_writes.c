// Who has read gives the lock back before it takes it for writing, and looks again. The twin relies on what it read before.
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int made;

static void *maker(void *unused) {
    pthread_rwlock_rdlock(&lock);
    int seen = made;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
#ifndef TWIN
    seen = made;
#endif
    if (!seen)
        made++;
    assert(made == 1);
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, maker, 0);
}

// check: unsafe assertion
// To write, a reader gives the lock back and takes it again; what it read may be old by then.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int made;

void *make_once(void *arg) {
    pthread_rwlock_rdlock(&lock);
    int missing = made == 0;
    pthread_rwlock_unlock(&lock);
    if (missing) {
        pthread_rwlock_wrlock(&lock);
        made++;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, make_once, NULL);
    make_once(NULL);
    pthread_join(t, NULL);
    assert(made == 1); //~ violation
    return 0;
}

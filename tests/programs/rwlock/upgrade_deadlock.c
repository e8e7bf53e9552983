// check: unsafe deadlock
// A reader that wants to write waits for itself.
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_wrlock(&lock); //~ violation
    return 0;
}

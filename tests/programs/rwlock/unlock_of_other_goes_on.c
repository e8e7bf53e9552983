// check: unsafe assertion
// args: --property assertion
// A reader is thrown out by a thread that holds nothing, and a writer gets in. Only assertions are asked for.
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value;

void *writer(void *arg) {
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_rdlock(&lock);
    pthread_create(&t, NULL, writer, NULL);
    int seen = value;
    assert(value == seen); //~ violation
    return 0;
}

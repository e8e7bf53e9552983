// check: unsafe assertion
// args: --engine lazy --unwind 1 --rounds 2
#include <assert.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int x, y;

void *writer(void *arg) {
    pthread_rwlock_rdlock(&lock);
    x++;
    y++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    pthread_rwlock_rdlock(&lock);
    assert(x == y); //~ violation
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}

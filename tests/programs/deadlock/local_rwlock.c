// check: unsafe deadlock
// Each reads one lock and wants to write the other.
#include <pthread.h>

pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
volatile int ticks;

void *one(void *arg) {
    pthread_rwlock_rdlock(&a);
    pthread_rwlock_wrlock(&b); //~ violation
    pthread_rwlock_unlock(&b);
    pthread_rwlock_unlock(&a);
    return arg;
}

void *two(void *arg) {
    pthread_rwlock_rdlock(&b);
    pthread_rwlock_wrlock(&a); //~ violation
    pthread_rwlock_unlock(&a);
    pthread_rwlock_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    for (;;)
        ticks = !ticks;
}

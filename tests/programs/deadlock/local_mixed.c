// check: unsafe deadlock
// One has the mutex and joins the other, which wants a spin lock of a third, which wants the mutex.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_spinlock_t s;
pthread_t second;
volatile int ticks;

void *one(void *arg) {
    pthread_mutex_lock(&m);
    pthread_join(second, NULL); //~ violation
    pthread_mutex_unlock(&m);
    return arg;
}

void *two(void *arg) {
    pthread_spin_lock(&s); //~ violation
    pthread_spin_unlock(&s);
    return arg;
}

void *three(void *arg) {
    pthread_spin_lock(&s);
    pthread_mutex_lock(&m); //~ violation
    pthread_mutex_unlock(&m);
    pthread_spin_unlock(&s);
    return arg;
}

int main(void) {
    pthread_t first, third;
    pthread_spin_init(&s, 0);
    pthread_create(&second, NULL, two, NULL);
    pthread_create(&first, NULL, one, NULL);
    pthread_create(&third, NULL, three, NULL);
    for (;;)
        ticks = !ticks;
}

// check: unsafe deadlock
// Two routines, each of which needs the other to be done.
#include <pthread.h>

pthread_once_t a = PTHREAD_ONCE_INIT, b = PTHREAD_ONCE_INIT;
volatile int ticks;

void nothing(void) {}
void init_a(void) { pthread_once(&b, nothing); } //~ violation
void init_b(void) { pthread_once(&a, nothing); } //~ violation

void *one(void *arg) {
    pthread_once(&a, init_a);
    return arg;
}

void *two(void *arg) {
    pthread_once(&b, init_b);
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    for (;;)
        ticks = !ticks;
}

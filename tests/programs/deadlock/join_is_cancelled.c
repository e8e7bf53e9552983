// check: safe
// The circle of joins is broken by main: waiting for a thread can be cancelled.
#include <pthread.h>

pthread_t first, itself, second;

void *two(void *arg) {
    pthread_join(itself, NULL);
    return arg;
}

void *one(void *arg) {
    itself = pthread_self();
    pthread_create(&second, NULL, two, NULL);
    pthread_join(second, NULL);
    return arg;
}

int main(void) {
    pthread_create(&first, NULL, one, NULL);
    pthread_cancel(first);
    for (;;)
        ;
}

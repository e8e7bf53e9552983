// check: unsafe deadlock
// A normal mutex that nobody else knows, locked twice; main goes on.
#include <pthread.h>

void *worker(void *arg) {
    pthread_mutex_t mine;
    pthread_mutex_init(&mine, NULL);
    pthread_mutex_lock(&mine);
    pthread_mutex_lock(&mine); //~ violation
    return arg;
}

volatile int ticks;

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    for (;;)
        ticks = !ticks;
}

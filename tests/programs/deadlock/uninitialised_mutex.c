// Nobody knows who holds a mutex that was never initialised. A thread that finds it taken waits from its first step on.
// check: unsafe deadlock
// args: --property deadlock
// headline lazy tree swarm: unsafe (deadlock at uninitialised_mutex.c:9)
#include <pthread.h>

void *worker(void *arg) {
    pthread_mutex_t lock;
    pthread_mutex_lock(&lock); //~ violation
    return arg;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    return 0;
}

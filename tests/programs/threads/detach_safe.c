// check: safe
#include <pthread.h>

int counter;

void *worker(void *arg) {
    pthread_detach(pthread_self());
    counter = 1;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_exit(NULL);
}

// check: unsafe thread
#include <pthread.h>

void *worker(void *arg) {
    pthread_detach(pthread_self()); //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t); //~ violation
    pthread_exit(NULL);
}

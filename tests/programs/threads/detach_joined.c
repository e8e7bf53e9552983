// check: unsafe thread
#include <pthread.h>

void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    pthread_detach(t); //~ violation
    return 0;
}

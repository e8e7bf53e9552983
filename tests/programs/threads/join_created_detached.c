// check: unsafe thread
#include <pthread.h>

void *worker(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, worker, NULL);
    pthread_attr_destroy(&attr);
    pthread_join(t, NULL); //~ violation
    return 0;
}

// check: unsafe thread
#include <pthread.h>

pthread_t shared;

void *worker(void *arg) {
    return arg;
}

void *joiner(void *arg) {
    pthread_join(shared, NULL); //~ violation
    return arg;
}

int main(void) {
    pthread_t other;
    pthread_create(&shared, NULL, worker, NULL);
    pthread_create(&other, NULL, joiner, NULL);
    pthread_join(shared, NULL); //~ violation
    pthread_join(other, NULL);
    return 0;
}

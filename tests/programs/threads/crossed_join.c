// check: unsafe deadlock
// Two threads join each other.
#include <pthread.h>

pthread_t first;

void *worker(void *arg) {
    (void)arg;
    pthread_join(first, NULL); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    first = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL); //~ violation
    return 0;
}

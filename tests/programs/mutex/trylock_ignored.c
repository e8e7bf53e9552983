// check: unsafe lock
// The result of trylock is ignored; the unlock can hit the other thread's lock.
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int data;

void *worker(void *arg) {
    (void)arg;
    pthread_mutex_trylock(&m);
    data++;
    pthread_mutex_unlock(&m); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}

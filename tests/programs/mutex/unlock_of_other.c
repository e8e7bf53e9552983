// check: unsafe lock
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *other(void *arg) {
    (void)arg;
    pthread_mutex_unlock(&m); //~ violation
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    return 0;
}

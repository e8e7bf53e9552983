// check: unsafe lock
// The thread may initialise the mutex while main has it, or just before it gets it.
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    pthread_mutex_init(&m, 0); //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m); //~ violation
    pthread_join(t, 0);
    return 0;
}

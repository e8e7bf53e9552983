// check: unsafe lock
// args: --engine lazy --unwind 1 --rounds 2
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int locked;

void *worker(void *arg) {
    if (locked)
        pthread_mutex_unlock(&m); //~ violation
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&m);
    locked = 1;
    pthread_join(t, NULL);
    return 0;
}

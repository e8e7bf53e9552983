// property: race
// A block is used and given back under a lock.
// The twin: it is given back without the lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *user(void *arg) {
    pthread_mutex_lock(&m);
    if (block)
        *block = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_create(&t, 0, user, 0);
#ifdef TWIN
    free(block);
#else
    pthread_mutex_lock(&m);
    free(block);
    block = 0;
    pthread_mutex_unlock(&m);
#endif
    return 0;
}

// check: unsafe lock
// headline explicit lazy tree: unsafe (lock at initialise_static_locked.c:9)
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&m);
    pthread_mutex_init(&m, 0); //~ violation
    return 0;
}

// check: safe
// A destroyed mutex may be initialised again.
#include <pthread.h>
#include <stdlib.h>

int main(void) {
    pthread_mutex_t *m = malloc(sizeof *m);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(m, NULL);
        pthread_mutex_lock(m);
        pthread_mutex_unlock(m);
        pthread_mutex_destroy(m);
    }
    free(m);
    return 0;
}

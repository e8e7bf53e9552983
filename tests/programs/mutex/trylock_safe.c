// check: safe
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int inside;

void *worker(void *arg) {
    (void)arg;
    int r = pthread_mutex_trylock(&m);
    assert(r == 0 || r == EBUSY);
    if (r == 0) {
        inside++;
        assert(inside == 1);
        inside--;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    return 0;
}

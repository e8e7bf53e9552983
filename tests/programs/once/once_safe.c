// check: safe
// The routine runs once, and is complete when any pthread_once returns.
#include <assert.h>
#include <pthread.h>

pthread_once_t once = PTHREAD_ONCE_INIT;
int runs, value;

void initialise(void) {
    runs++;
    value = 42;
}

void *worker(void *arg) {
    (void)arg;
    pthread_once(&once, initialise);
    assert(runs == 1 && value == 42);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    worker(NULL);
    pthread_join(t, NULL);
    assert(runs == 1);
    return 0;
}

// check: unsafe assertion
// main leaves by pthread_exit; the detached thread goes on, and its assertion fails.
#include <assert.h>
#include <pthread.h>

int value;

void *worker(void *arg) {
    assert(value == 0); //~ violation
    return arg;
}

int main(void) {
    pthread_attr_t attr;
    pthread_t t;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, worker, NULL);
    pthread_attr_destroy(&attr);
    value = 1;
    pthread_exit(NULL);
}

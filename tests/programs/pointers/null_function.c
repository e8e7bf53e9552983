// check: unsafe memory
// The other thread takes the callback away between the test and the call.
#include <pthread.h>
#include <stddef.h>

void callback(void) {}
void (*hook)(void) = callback;

void *worker(void *arg) {
    hook = NULL;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    if (hook)
        hook(); //~ violation
    pthread_join(t, NULL);
    return 0;
}

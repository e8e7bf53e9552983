// check: safe
// main ends by pthread_exit, and another thread joins it.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

pthread_t first;

void *worker(void *arg) {
    (void)arg;
    void *r;
    pthread_join(first, &r);
    assert((intptr_t)r == 3);
    return NULL;
}

int main(void) {
    pthread_t t;
    first = pthread_self();
    pthread_create(&t, NULL, worker, NULL);
    pthread_exit((void *)(intptr_t)3);
}

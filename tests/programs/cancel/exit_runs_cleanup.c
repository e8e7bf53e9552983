// check: safe
// pthread_exit runs the handlers too; a handler that was popped is gone.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int sum;

void add(void *arg) {
    sum += (int)(intptr_t)arg;
}

static void leave(void) {
    pthread_exit((void *)9);
}

void *worker(void *arg) {
    pthread_cleanup_push(add, (void *)1);
    pthread_cleanup_push(add, (void *)10);
    pthread_cleanup_pop(1);
    pthread_cleanup_push(add, (void *)100);
    pthread_cleanup_pop(0);
    if (arg == NULL)
        leave();
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &r);
    assert((intptr_t)r == 9 && sum == 11);
    return 0;
}

// check: safe
// A cancelled thread runs its cleanup handlers, innermost first, and gives PTHREAD_CANCELED.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

int order[2], count;

void note(void *arg) {
    order[count++] = (int)(intptr_t)arg;
}

void *worker(void *arg) {
    pthread_cleanup_push(note, (void *)1);
    pthread_cleanup_push(note, (void *)2);
    while (1)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, &r);
    assert(r == PTHREAD_CANCELED);
    assert(count == 2 && order[0] == 2 && order[1] == 1);
    return 0;
}

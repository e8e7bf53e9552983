// check: safe
// While cancellation is disabled a request waits.
#include <assert.h>
#include <pthread.h>

int finished;

void *worker(void *arg) {
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    assert(old == PTHREAD_CANCEL_ENABLE);
    pthread_testcancel();
    finished = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, &r);
    assert(finished);
    assert(r == NULL || r == PTHREAD_CANCELED);
    return 0;
}

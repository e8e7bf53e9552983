// check: unsafe assertion
// A request can come after the last cancellation point.
#include <assert.h>
#include <pthread.h>

void *worker(void *arg) {
    pthread_testcancel();
    return arg;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, &r);
    assert(r == PTHREAD_CANCELED); //~ violation
    return 0;
}

// check: safe
// Sleeping is a cancellation point, so the endless thread can be got rid of.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

void *worker(void *arg) {
    while (1)
        sleep(1);
    return arg;
}

int main(void) {
    pthread_t t;
    void *r;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, &r);
    assert(r == PTHREAD_CANCELED);
    return 0;
}

// check: safe
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg) { return arg; }

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    assert(!pthread_equal(one, two));
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}

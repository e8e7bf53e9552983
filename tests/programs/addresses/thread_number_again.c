// check: unsafe assertion
// The handle of a thread that was joined may be that of a new one (POSIX.1-2017, pthread_join).
#include <assert.h>
#include <pthread.h>

static void *worker(void *arg) { return arg; }

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_join(one, 0);
    pthread_create(&two, 0, worker, 0);
    assert(!pthread_equal(one, two)); //~ violation
    pthread_join(two, 0);
    return 0;
}

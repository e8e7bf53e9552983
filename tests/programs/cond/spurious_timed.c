// check: unsafe assertion
// headline explicit lazy tree: unsafe (assertion at spurious_timed.c:18)
// A timed wait that did not time out was not necessarily signalled.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

int main(void) {
    struct timespec until = {1, 0};
    pthread_mutex_lock(&m);
    int r = pthread_cond_timedwait(&c, &m, &until);
    assert(r == 0 || r == ETIMEDOUT);
    assert(r == ETIMEDOUT || ready); //~ violation
    pthread_mutex_unlock(&m);
    return 0;
}

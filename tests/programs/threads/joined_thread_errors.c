// check: safe
// args: --property assertion
// headline explicit lazy tree: safe
// A thread that was joined is no thread any more.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

void *nothing(void *arg) {
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    assert(pthread_join(t, NULL) == 0);
    assert(pthread_join(t, NULL) == ESRCH);
    assert(pthread_detach(t) == ESRCH);
    return 0;
}

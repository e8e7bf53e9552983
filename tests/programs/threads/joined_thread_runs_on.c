// check: safe
// args: --property assertion --engine lazy
// assumption: threads can always be created (--may-fail create)
// Nobody asked about the misuse, and behind it runs go on: they do not end there.
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

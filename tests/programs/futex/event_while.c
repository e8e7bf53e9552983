// check: safe
// The loop looks at the condition again after every wait; errno says why one ended.
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready;

static void *producer(void *arg) {
    ready = 1;
    syscall(SYS_futex, &ready, FUTEX_WAKE, 1, NULL, NULL, 0);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (!ready) {
        if (syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL, NULL, 0) && errno != EAGAIN)
            assert(errno == EINTR);
    }
    assert(ready);
    pthread_join(t, NULL);
    return 0;
}

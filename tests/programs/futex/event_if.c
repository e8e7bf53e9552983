// check: unsafe assertion
// A wait on a futex may end without a wake: the condition has to be looked at again.
#include <assert.h>
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
    if (!ready)
        syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL, NULL, 0);
    assert(ready); //~ violation
    pthread_join(t, NULL);
    return 0;
}

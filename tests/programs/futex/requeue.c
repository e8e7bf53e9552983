// check: safe
// args: --no-spurious-wakeups
// assumption: waits on condition variables end only by a signal
// assumption: threads can always be created (--may-fail create)
// One waiter is woken, the other one moved to the second word and woken there.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int gate, queue, through;

static void *waiter(void *arg) {
    while (!gate)
        syscall(SYS_futex, &gate, FUTEX_WAIT, 0, NULL, NULL, 0);
    through++;
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    pthread_create(&b, NULL, waiter, NULL);
    gate = 1;
    long moved = syscall(SYS_futex, &gate, FUTEX_CMP_REQUEUE, 1, (void *)1l, &queue, 1);
    assert(moved >= 0 && moved <= 2);
    syscall(SYS_futex, &queue, FUTEX_WAKE, 1, NULL, NULL, 0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(through == 2);
    return 0;
}

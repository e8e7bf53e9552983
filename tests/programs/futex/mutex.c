// check: safe
// headline explicit: safe
// A mutex on a futex, after Drepper's "Futexes are tricky": 0 free, 1 taken, 2 taken and somebody may wait.
// check -DNEVER_WAKES: unsafe deadlock
// The unlocker does not wake anybody when the word was 2: it compares with the wrong value.
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int data;

static long futex(atomic_int *at, int operation, int value) {
    return syscall(SYS_futex, at, operation, value, NULL, NULL, 0);
}

static void lock(void) {
    int c = 0;
    if (atomic_compare_exchange_strong(&word, &c, 1))
        return;
    if (c != 2)
        c = atomic_exchange(&word, 2);
    while (c != 0) {
        futex(&word, FUTEX_WAIT_PRIVATE, 2);
        c = atomic_exchange(&word, 2);
    }
}

static void unlock(void) {
#ifdef NEVER_WAKES
    if (atomic_exchange(&word, 0) == 3)
        futex(&word, FUTEX_WAKE_PRIVATE, 1);
#else
    if (atomic_fetch_sub(&word, 1) != 1) {
        atomic_store(&word, 0);
        futex(&word, FUTEX_WAKE_PRIVATE, 1);
    }
#endif
}

static void *work(void *arg) {
    lock();
    data++;
    unlock();
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(data == 2);
    return 0;
}

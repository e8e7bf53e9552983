// check: safe
// A semaphore on a futex, and a slot that it guards.
// check -DLOOKS_FIRST: unsafe deadlock
// The poster looks for waiters before it raises the count.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
static int futex(uint32_t *uaddr, int op, uint32_t val, const struct timespec *ts, uint32_t *u2,
                 uint32_t v3) {
    return syscall(SYS_futex, uaddr, op, val, ts, u2, v3);
}
typedef struct {
    uint32_t count, waiters;
} fsem;
static void fsem_wait(fsem *s) {
    for (;;) {
        uint32_t c = __atomic_load_n(&s->count, __ATOMIC_ACQUIRE);
        while (c)
            if (__atomic_compare_exchange_n(&s->count, &c, c - 1, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
                return;
        __atomic_fetch_add(&s->waiters, 1, __ATOMIC_SEQ_CST);
        if (futex(&s->count, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0) == -1 && errno != EAGAIN &&
            errno != EINTR) {
            perror("futex");
            exit(1);
        }
        __atomic_fetch_sub(&s->waiters, 1, __ATOMIC_SEQ_CST);
    }
}
static void fsem_post(fsem *s) {
#ifdef LOOKS_FIRST
    int wake = __atomic_load_n(&s->waiters, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&s->count, 1, __ATOMIC_SEQ_CST);
#else
    __atomic_fetch_add(&s->count, 1, __ATOMIC_SEQ_CST);
    int wake = __atomic_load_n(&s->waiters, __ATOMIC_SEQ_CST);
#endif
    if (wake)
        futex(&s->count, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}
static fsem full, empty = {1, 0};
static int slot;
static void *p(void *a) {
    for (int i = 1; i <= 2; i++) {
        fsem_wait(&empty);
        slot = i;
        fsem_post(&full);
    }
    return NULL;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, p, NULL);
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        fsem_wait(&full);
        sum += slot;
        fsem_post(&empty);
    }
    pthread_join(t, NULL);
    if (sum != 3)
        assert(0);
    return 0;
}

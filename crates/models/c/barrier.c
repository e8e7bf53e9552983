/* Barriers.
 *
 * The last thread to arrive releases the others by clearing waiting_on in their records, and is the one
 * to get PTHREAD_BARRIER_SERIAL_THREAD. A released thread never looks at the barrier again, so there are
 * no generations to keep apart, and the barrier may be reused or destroyed at once.
 *
 * Misuse ("lock"): destroying a barrier at which a thread waits, using a destroyed one or one that was
 * never initialised. Where that is not checked: the destroyer waits for the threads to leave, a destroyed
 * barrier still knows how many it is for, and one for no thread at all ends the process, for glibc
 * divides by that number.
 */
#include "internal.h"

int pthread_barrier_init(struct selvedge_barrier *b, const int *attr, unsigned total) {
    (void)attr;
    if (total == 0)
        return E_INVAL;
    if (FAILS(init))
        return E_NOMEM;
    __selvedge_atomic_begin();
    b->total = total;
    b->arrived = 0;
    __selvedge_atomic_end();
    return 0;
}

int pthread_barrier_destroy(struct selvedge_barrier *b) {
    __selvedge_atomic_begin();
    unsigned arrived = b->arrived;
    if (b->total == 0) {
        __selvedge_violation("lock", "destroys a barrier that is not initialised");
        __selvedge_process_exit();
    }
    if (arrived == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "destroys a barrier that is destroyed");
    } else if (arrived) {
        __selvedge_violation("lock", "destroys a barrier at which a thread waits");
        __selvedge_block_until(0);
    }
    b->arrived = SELVEDGE_DESTROYED;
    __selvedge_atomic_end();
    return 0;
}

int pthread_barrier_wait(struct selvedge_barrier *b) {
    __selvedge_atomic_begin();
    unsigned total = b->total, arrived = b->arrived;
    if (total == 0) {
        __selvedge_violation("lock", "waits at a barrier that is not initialised");
        __selvedge_process_exit();
    }
    if (arrived == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "waits at a barrier that is destroyed");
        arrived = 0;
    }
    _Bool last = arrived + 1 == total;
    if (last) {
        b->arrived = 0;
        int threads = __selvedge_threads();
        for (int t = 0; t < threads; t++) {
            struct selvedge_thread *other = thread_record(t);
            if (other->waiting_on == b)
                other->waiting_on = SELVEDGE_NULL;
        }
    } else {
        b->arrived = arrived + 1;
        selvedge_me.waiting_on = b;
    }
    __selvedge_atomic_end();
    if (last)
        return -1; /* PTHREAD_BARRIER_SERIAL_THREAD */

    __selvedge_atomic_begin();
    __selvedge_block_until(!selvedge_me.waiting_on);
    __selvedge_atomic_end();
    return 0;
}

int pthread_barrierattr_init(int *attr) {
    if (FAILS(init))
        return E_NOMEM;
    *attr = 0;
    return 0;
}

int pthread_barrierattr_destroy(int *attr) {
    (void)attr;
    return 0;
}

int pthread_barrierattr_setpshared(int *attr, int shared) {
    *attr = shared;
    return 0;
}

int pthread_barrierattr_getpshared(const int *attr, int *shared) {
    *shared = *attr;
    return 0;
}

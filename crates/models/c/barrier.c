/* Barriers.
 *
 * The last thread to arrive releases the others by clearing waiting_on in their records, and is the one
 * to get PTHREAD_BARRIER_SERIAL_THREAD. A released thread never looks at the barrier again, so there are
 * no generations to keep apart, and the barrier may be reused or destroyed at once.
 */
#include "internal.h"

int pthread_barrier_init(struct selvedge_barrier *b, const int *attr, unsigned total) {
    (void)attr;
    if (total == 0)
        return E_INVAL;
    __selvedge_atomic_begin();
    b->total = total;
    b->arrived = 0;
    __selvedge_atomic_end();
    return 0;
}

int pthread_barrier_destroy(struct selvedge_barrier *b) {
    __selvedge_atomic_begin();
    if (b->total == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "destroys a barrier that is destroyed");
    if (b->total == 0)
        __selvedge_violation("lock", "destroys a barrier that is not initialised");
    if (b->arrived)
        __selvedge_violation("lock", "destroys a barrier at which a thread waits");
    b->total = SELVEDGE_DESTROYED;
    __selvedge_atomic_end();
    return 0;
}

int pthread_barrier_wait(struct selvedge_barrier *b) {
    __selvedge_atomic_begin();
    if (b->total == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "waits at a barrier that is destroyed");
    if (b->total == 0)
        __selvedge_violation("lock", "waits at a barrier that is not initialised");
    _Bool last = b->arrived + 1 == b->total;
    if (last) {
        b->arrived = 0;
        int threads = __selvedge_threads();
        for (int t = 0; t < threads; t++) {
            struct selvedge_thread *other = thread_record(t);
            if (other->waiting_on == b)
                other->waiting_on = SELVEDGE_NULL;
        }
    } else {
        b->arrived++;
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

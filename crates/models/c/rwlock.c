/* Read-write locks.
 *
 * One word: 0 is free, n < WRITER is held by n readers, WRITER | (thread + 1) by one writer. Readers
 * are never held up by waiting writers, which is glibc's default; where the attribute
 * PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP asks for it, they are: a writer that waits says so in its record, and a third
 * word of the lock has the attribute. (PTHREAD_RWLOCK_PREFER_WRITER_NP prefers readers in glibc, too.)
 * A thread that asks again while it holds the lock for writing, or asks to write while it reads, blocks
 * for ever: POSIX leaves this open, glibc returns EDEADLK for some of it.
 * A second word has a bit for each thread that reads, as far as it has bits. A thread that reads twice loses its bit
 * with the first unlock: the bits are believed only if they are as many as there are readers.
 *
 * Misuse ("lock"): unlocking what this thread does not hold (for readers that the bits do not know: when it holds no read lock
 * at all), destroying a held lock, using a destroyed one. Where that is not checked: unlocking takes away
 * one reader or the writer, whoever that is, and nothing from a free lock (glibc's counters are garbage
 * after the last two, and anything may follow); destroying changes nothing.
 */
#include "internal.h"

#define RWLOCK_WRITER 0x80000000u

/* A program may declare a type of its own that has room for one word only. */
static _Bool knows_readers(const unsigned *lock) {
    return __selvedge_object_size(lock) - __selvedge_object_offset(lock) >= 2 * sizeof *lock;
}

static void note_reader(unsigned *lock, _Bool reads) {
    int me = __selvedge_self();
    if (me < 32 && knows_readers(lock))
        lock[1] = reads ? lock[1] | 1u << me : lock[1] & ~(1u << me);
}

/* Inside an atomic section: the lock is held, and this waits until it is not. */
static void wait_for_holders(const unsigned *lock, unsigned word) {
    if (word & RWLOCK_WRITER) {
        __selvedge_waits_for(lock, (int)(word & ~RWLOCK_WRITER) - 1);
    } else if (knows_readers(lock) && (unsigned)__builtin_popcount(lock[1]) == word) {
        int threads = __selvedge_threads();
        for (int t = 0; t < threads && t < 32; t++)
            if (lock[1] >> t & 1)
                __selvedge_waits_for(lock, t);
    }
    __selvedge_block_until(0);
}

enum { RWLOCK_PREFERS_WRITERS = 2 };
int __selvedge_reached_pthread_rwlockattr_setkind_np = 0;

static _Bool prefers_writers(const unsigned *lock) {
    return __selvedge_reached_pthread_rwlockattr_setkind_np &&
           __selvedge_object_size(lock) - __selvedge_object_offset(lock) >= 3 * sizeof *lock && lock[2] == RWLOCK_PREFERS_WRITERS;
}

/* Inside an atomic section: whether a writer waits. With `wait` this waits until none does. */
static _Bool is_held_up(const unsigned *lock, _Bool wait) {
    _Bool any = 0;
    int threads = __selvedge_threads();
    for (int t = 0; t < threads; t++)
        if (thread_record(t)->waiting_on == lock) {
            if (wait)
                __selvedge_waits_for(lock, t);
            any = 1;
        }
    if (wait)
        __selvedge_block_until(!any);
    return any;
}

static int read_lock(unsigned *lock, _Bool wait, int when_held) {
    int error = 0;
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "locks a read-write lock that is destroyed");
        word = 0;
    }
    if (word & RWLOCK_WRITER) {
        if (wait)
            wait_for_holders(lock, word);
        error = when_held;
    } else if (word && prefers_writers(lock) && is_held_up(lock, wait)) {
        error = when_held;
    } else {
        *lock = word + 1;
        note_reader(lock, 1);
        selvedge_me.read_locks++;
        __selvedge_acquired(lock, 0);
    }
    __selvedge_atomic_end();
    return error;
}

static int write_lock(unsigned *lock, _Bool wait, int when_held) {
    int error = 0;
    _Bool holds_up = wait && prefers_writers(lock);
    if (holds_up) {
        __selvedge_atomic_begin();
        if (*lock && *lock != SELVEDGE_DESTROYED)
            selvedge_me.waiting_on = lock;
        __selvedge_atomic_end();
    }
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "locks a read-write lock that is destroyed");
        word = 0;
    }
    if (word) {
        if (wait)
            wait_for_holders(lock, word);
        error = when_held;
    } else {
        *lock = RWLOCK_WRITER | my_id();
        if (holds_up)
            selvedge_me.waiting_on = SELVEDGE_NULL;
        __selvedge_acquired(lock, 1);
    }
    __selvedge_atomic_end();
    return error;
}

int pthread_rwlock_init(unsigned *lock, const int *attr) {
    if (FAILS(init))
        return E_NOMEM;
    __selvedge_atomic_begin();
    lock[0] = 0;
    if (knows_readers(lock))
        lock[1] = 0;
    if (__selvedge_reached_pthread_rwlockattr_setkind_np && __selvedge_object_size(lock) - __selvedge_object_offset(lock) >= 3 * sizeof *lock)
        lock[2] = attr ? (unsigned)attr[0] : 0;
    __selvedge_atomic_end();
    return 0;
}

int pthread_rwlock_destroy(unsigned *lock) {
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == 0)
        *lock = SELVEDGE_DESTROYED;
    else if (word == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "destroys a read-write lock that is destroyed");
    else
        __selvedge_violation("lock", "destroys a read-write lock that is held");
    __selvedge_atomic_end();
    return 0;
}

int pthread_rwlock_rdlock(unsigned *lock) {
    return read_lock(lock, 1, 0);
}

int pthread_rwlock_tryrdlock(unsigned *lock) {
    return read_lock(lock, 0, E_BUSY);
}

int pthread_rwlock_timedrdlock(unsigned *lock, const struct selvedge_timespec *until) {
    __selvedge_check_read(until, sizeof *until);
    __selvedge_yield();
    return read_lock(lock, 0, E_TIMEDOUT);
}

int pthread_rwlock_clockrdlock(unsigned *lock, int clock, const struct selvedge_timespec *until) {
    (void)clock;
    __selvedge_check_read(until, sizeof *until);
    __selvedge_yield();
    return read_lock(lock, 0, E_TIMEDOUT);
}

int pthread_rwlock_wrlock(unsigned *lock) {
    return write_lock(lock, 1, 0);
}

int pthread_rwlock_trywrlock(unsigned *lock) {
    return write_lock(lock, 0, E_BUSY);
}

int pthread_rwlock_timedwrlock(unsigned *lock, const struct selvedge_timespec *until) {
    __selvedge_check_read(until, sizeof *until);
    __selvedge_yield();
    return write_lock(lock, 0, E_TIMEDOUT);
}

int pthread_rwlock_clockwrlock(unsigned *lock, int clock, const struct selvedge_timespec *until) {
    (void)clock;
    __selvedge_check_read(until, sizeof *until);
    __selvedge_yield();
    return write_lock(lock, 0, E_TIMEDOUT);
}

int pthread_rwlock_unlock(unsigned *lock) {
    __selvedge_atomic_begin();
    unsigned word = *lock;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "unlocks a read-write lock that is destroyed");
        *lock = 0;
    } else if (word == 0) {
        __selvedge_violation("lock", "unlocks a read-write lock that is not locked");
    } else if (word & RWLOCK_WRITER) {
        if (word != (RWLOCK_WRITER | my_id()))
            __selvedge_violation("lock", "unlocks a read-write lock that another thread holds for writing");
        *lock = 0;
    } else {
        _Bool known = knows_readers(lock) && __selvedge_self() < 32 && (unsigned)__builtin_popcount(lock[1]) == word;
        if (known ? !(lock[1] >> __selvedge_self() & 1) : selvedge_me.read_locks == 0)
            __selvedge_violation("lock", "unlocks a read-write lock that only other threads hold");
        if (selvedge_me.read_locks)
            selvedge_me.read_locks--;
        *lock = word - 1;
        note_reader(lock, 0);
    }
    __selvedge_released(lock);
    __selvedge_atomic_end();
    return 0;
}

/* ---- attributes: the kind matters to the lock, process sharing is kept to be read back ---- */

int pthread_rwlockattr_init(int *attr) {
    if (FAILS(init))
        return E_NOMEM;
    attr[0] = 0;
    attr[1] = 0;
    return 0;
}

int pthread_rwlockattr_destroy(int *attr) {
    (void)attr;
    return 0;
}

int pthread_rwlockattr_setpshared(int *attr, int shared) {
    attr[1] = shared;
    return 0;
}

int pthread_rwlockattr_getpshared(const int *attr, int *shared) {
    *shared = attr[1];
    return 0;
}

int pthread_rwlockattr_setkind_np(int *attr, int kind) {
    if (kind < 0 || kind > 2)
        return E_INVAL;
    attr[0] = kind;
    return 0;
}

int pthread_rwlockattr_getkind_np(const int *attr, int *kind) {
    *kind = attr[0];
    return 0;
}

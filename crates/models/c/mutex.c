/* Mutexes: normal, recursive, error-checking, adaptive (which is a normal one here).
 *
 * Each operation is one atomic section. A normal mutex locked again by its owner blocks for ever: that
 * is a deadlock, and reported as one. A timed lock gives up exactly when the mutex is held at the moment
 * its step is taken; waiting for longer is the same as being scheduled later.
 *
 * Misuse ("lock"): unlocking a normal mutex that is not locked or belongs to another thread, destroying
 * a locked one, using a destroyed one. Where that is not checked: unlocking frees the mutex whoever holds
 * it, a locked mutex is not destroyed (EBUSY), a destroyed one is as good as new (glibc's calls return
 * EINVAL). Priorities and process sharing change nothing here.
 *
 * A robust mutex whose owner has ended is taken over (EOWNERDEAD); given back before it was made consistent, it is
 * lost for good (ENOTRECOVERABLE). Any other mutex is waited for in vain then.
 */
#include "internal.h"

static int init_mutex(struct selvedge_mutex *m, int kind) {
    if (FAILS(init))
        return E_NOMEM;
    /* A program may declare a mutex type of its own, smaller than glibc's; then it has no kind. */
    _Bool has_kind = __selvedge_object_size(m) - __selvedge_object_offset(m) >= sizeof *m;
    __selvedge_atomic_begin();
    m->word = 0;
    if (has_kind)
        m->kind = kind;
    __selvedge_atomic_end();
    return 0;
}

static int mutex_kind(const struct selvedge_mutex *m) {
    if (__selvedge_object_size(m) - __selvedge_object_offset(m) < sizeof *m)
        return MUTEX_NORMAL;
    return m->kind & 3;
}

/* Whether the program has robust mutexes at all, and whether threads wait on condition variables. */
int __selvedge_reached_selvedge_set_robust = 0;
int __selvedge_reached_wait_cond = 0;

static _Bool is_robust(const struct selvedge_mutex *m) {
    if (!__selvedge_reached_selvedge_set_robust)
        return 0;
    return __selvedge_object_size(m) - __selvedge_object_offset(m) >= sizeof *m && (m->kind & MUTEX_ROBUST);
}

/* Inside an atomic section: takes a robust mutex whose owner has ended. */
static int take_over_mutex(struct selvedge_mutex *m) {
    m->word = __selvedge_owner() | MUTEX_INCONSISTENT;
    __selvedge_acquired(m, 1);
    return E_OWNERDEAD;
}

/* Inside an atomic section: another thread holds it, and has to act before this one can. */
#define WAIT_FOR_OWNER(m, word) \
    (__selvedge_waits_for(m, (int)MUTEX_OWNER(word) - 1), \
     __selvedge_block_until(__selvedge_reached_selvedge_set_robust), \
     wait_for_death(m, word))

static int wait_for_death(struct selvedge_mutex *m, unsigned word) {
    _Bool robust = is_robust(m);
    if (robust && word == MUTEX_LOST)
        return E_NOTRECOVERABLE;
    int owner = (int)MUTEX_OWNER(word) - 1;
    __selvedge_waits_for(m, owner);
    __selvedge_block_until(robust && __selvedge_finished(owner));
    return take_over_mutex(m);
}

static int lock_mutex(struct selvedge_mutex *m) {
    int error = 0;
    __selvedge_atomic_begin();
    unsigned me = __selvedge_owner(), word = m->word;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "locks a mutex that is destroyed");
        word = 0;
    }
    if (word == 0) {
        m->word = me;
        __selvedge_acquired(m, 1);
    } else if (MUTEX_OWNER(word) == me) {
        int kind = mutex_kind(m);
        __selvedge_waits_for(m, (int)me - 1);
        __selvedge_block_until(kind == MUTEX_RECURSIVE || kind == MUTEX_ERRORCHECK);
        if (kind == MUTEX_RECURSIVE)
            m->word = word + MUTEX_LEVEL;
        else
            error = E_DEADLK;
        __selvedge_acquired(m, 1); /* and was before */
    } else {
        error = WAIT_FOR_OWNER(m, word);
    }
    __selvedge_atomic_end();
    return error;
}

/* Inside an atomic section: notes that the early wake-up of `thread` makes a difference, because this thread sees an
 * effect of it, or does what would have woken `thread`. */
static void notice_early_thread(int thread) {
    struct selvedge_thread *other = thread_record(thread);
    if (other->woke_early)
        other->woke_early = 0;
}

/* Locks, or returns `when_held` at once. */
static int lock_mutex_or(struct selvedge_mutex *m, int when_held) {
    int error = 0;
    __selvedge_atomic_begin();
    unsigned me = __selvedge_owner(), word = m->word;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "locks a mutex that is destroyed");
        word = 0;
    }
    if (word == 0) {
        m->word = me;
        __selvedge_acquired(m, 1);
    } else if (MUTEX_OWNER(word) == me) {
        int kind = mutex_kind(m);
        if (kind == MUTEX_RECURSIVE)
            m->word = word + MUTEX_LEVEL;
        else
            error = kind == MUTEX_ERRORCHECK && when_held == E_TIMEDOUT ? E_DEADLK : when_held;
        __selvedge_acquired(m, 1); /* and was before */
    } else if (is_robust(m) && word == MUTEX_LOST) {
        error = E_NOTRECOVERABLE;
    } else if (is_robust(m) && __selvedge_poll_finished((int)MUTEX_OWNER(word) - 1)) {
        error = take_over_mutex(m);
    } else {
        error = when_held;
        if (__selvedge_reached_wait_cond)
            notice_early_thread((int)MUTEX_OWNER(word) - 1);
    }
    __selvedge_atomic_end();
    return error;
}

/* Inside an atomic section, called by the owner: releases one level. */
static void give_back_mutex(struct selvedge_mutex *m) {
    if (m->word >= MUTEX_LEVEL) {
        m->word -= MUTEX_LEVEL;
    } else {
        m->word = m->word & MUTEX_INCONSISTENT ? MUTEX_LOST : 0;
        __selvedge_released(m);
    }
}

static int unlock_mutex(struct selvedge_mutex *m) {
    int error = 0;
    __selvedge_atomic_begin();
    unsigned word = m->word;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "unlocks a mutex that is destroyed");
        m->word = 0;
    } else if (MUTEX_OWNER(word) == __selvedge_owner()) {
        give_back_mutex(m);
        if (__selvedge_reached_wait_cond && selvedge_me.woke_early)
            selvedge_me.woke_early = 0; /* it has left the loop around its wait */
    } else {
        int kind = mutex_kind(m);
        if (kind == MUTEX_RECURSIVE || kind == MUTEX_ERRORCHECK || is_robust(m)) {
            error = E_PERM;
        } else if (word == 0) {
            __selvedge_violation("lock", "unlocks a mutex that is not locked");
        } else {
            __selvedge_violation("lock", "unlocks a mutex that another thread holds");
            m->word = 0;
        }
    }
    __selvedge_atomic_end();
    return error;
}

static int destroy_mutex(struct selvedge_mutex *m) {
    int error = 0;
    __selvedge_atomic_begin();
    unsigned word = m->word;
    if (word == 0) {
        m->word = SELVEDGE_DESTROYED;
    } else if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "destroys a mutex that is destroyed");
    } else {
        __selvedge_violation("lock", "destroys a mutex that is locked");
        error = E_BUSY;
    }
    __selvedge_atomic_end();
    return error;
}

/* In an attribute, bits 0 and 1 are the kind, bit 2 process sharing, bits 3 and 4 the protocol, bit 5 this. */
#define MUTEXATTR_ROBUST 32

int pthread_mutex_init(struct selvedge_mutex *m, const int *attr) {
    return init_mutex(m, attr ? (*attr & 3) | (*attr & MUTEXATTR_ROBUST ? MUTEX_ROBUST : 0) : MUTEX_NORMAL);
}

int pthread_mutex_lock(struct selvedge_mutex *m) {
    return lock_mutex(m);
}

int pthread_mutex_trylock(struct selvedge_mutex *m) {
    return lock_mutex_or(m, E_BUSY);
}

int pthread_mutex_timedlock(struct selvedge_mutex *m, const struct selvedge_timespec *until) {
    __selvedge_check_read(until, sizeof *until);
    __selvedge_yield();
    return lock_mutex_or(m, E_TIMEDOUT);
}

int pthread_mutex_clocklock(struct selvedge_mutex *m, int clock, const struct selvedge_timespec *until) {
    (void)clock;
    __selvedge_check_read(until, sizeof *until);
    __selvedge_yield();
    return lock_mutex_or(m, E_TIMEDOUT);
}

int pthread_mutex_unlock(struct selvedge_mutex *m) {
    return unlock_mutex(m);
}

int pthread_mutex_destroy(struct selvedge_mutex *m) {
    return destroy_mutex(m);
}

int pthread_mutex_consistent(struct selvedge_mutex *m) {
    int error = E_INVAL;
    __selvedge_atomic_begin();
    if (MUTEX_OWNER(m->word) == __selvedge_owner() && m->word != MUTEX_LOST && (m->word & MUTEX_INCONSISTENT)) {
        m->word &= ~MUTEX_INCONSISTENT;
        error = 0;
    }
    __selvedge_atomic_end();
    return error;
}

int pthread_mutex_getprioceiling(const struct selvedge_mutex *m, int *ceiling) {
    (void)m;
    *ceiling = 0;
    return 0;
}

int pthread_mutex_setprioceiling(struct selvedge_mutex *m, int ceiling, int *old) {
    (void)m, (void)ceiling;
    if (old)
        *old = 0;
    return 0;
}

/* ---- attributes ---- */

int pthread_mutexattr_init(int *attr) {
    if (FAILS(init))
        return E_NOMEM;
    *attr = 0;
    return 0;
}

int pthread_mutexattr_destroy(int *attr) {
    (void)attr;
    return 0;
}

int pthread_mutexattr_settype(int *attr, int kind) {
    if (kind < 0 || kind > 3)
        return E_INVAL;
    *attr = (*attr & ~3) | kind;
    return 0;
}

int pthread_mutexattr_setkind_np(int *attr, int kind) {
    if (kind < 0 || kind > 3)
        return E_INVAL;
    *attr = (*attr & ~3) | kind;
    return 0;
}

int pthread_mutexattr_gettype(const int *attr, int *kind) {
    *kind = *attr & 3;
    return 0;
}

int pthread_mutexattr_setpshared(int *attr, int shared) {
    *attr = (*attr & ~4) | (shared ? 4 : 0);
    return 0;
}

int pthread_mutexattr_getpshared(const int *attr, int *shared) {
    *shared = *attr >> 2 & 1;
    return 0;
}

int pthread_mutexattr_setprotocol(int *attr, int protocol) {
    *attr = (*attr & ~24) | (protocol & 3) << 3;
    return 0;
}

int pthread_mutexattr_getprotocol(const int *attr, int *protocol) {
    *protocol = *attr >> 3 & 3;
    return 0;
}

int pthread_mutexattr_setprioceiling(int *attr, int ceiling) {
    (void)attr, (void)ceiling;
    return 0;
}

int pthread_mutexattr_getprioceiling(const int *attr, int *ceiling) {
    (void)attr;
    *ceiling = 0;
    return 0;
}

static int selvedge_set_robust(int *attr, int robust) {
    if (robust != 0 && robust != 1)
        return E_INVAL;
    *attr = (*attr & ~MUTEXATTR_ROBUST) | (robust ? MUTEXATTR_ROBUST : 0);
    return 0;
}

int pthread_mutexattr_setrobust(int *attr, int robust) {
    return selvedge_set_robust(attr, robust);
}

int pthread_mutexattr_setrobust_np(int *attr, int robust) {
    return selvedge_set_robust(attr, robust);
}

int pthread_mutexattr_getrobust(const int *attr, int *robust) {
    *robust = (*attr & MUTEXATTR_ROBUST) != 0;
    return 0;
}

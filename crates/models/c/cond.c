/* Condition variables.
 *
 * A waiting thread is marked in its own record (waiting_on); a signal picks any one of the threads that
 * wait at that moment and clears its field, a broadcast clears them all. Waking and taking the mutex
 * back are one section: nothing can be observed in between, because a woken thread is no waiter any
 * more and competes for the mutex like any other.
 *
 * A timed wait can time out whenever the mutex is free, unless it was signalled before. It can also time out first and get
 * the mutex long after: what happens in between, the signal included, is too late for it, so that it may report a timeout
 * although what it waited for is there. Like a wake-up without a signal, this is chosen when the wait begins.
 *
 * Any wait may also return without a signal, unless --no-spurious-wakeups is given or runs without
 * end are asked about (for such wake-ups do not come for ever). Whether it will is decided when it
 * begins: a wait that will return by itself only gives the mutex back and takes it again; any other one is blocked until
 * it is signalled. A thread that is never signalled again is thus found to be deadlocked: there is a run in which it does
 * not wake up by itself.
 *
 * A thread that woke up early, looks at its predicate and waits again has done nothing: the run is the same as the one in
 * which it went on waiting, unless somebody noticed. Such runs are discarded, or every `while (!ready) wait` would be an
 * endless loop. The front end tells by __selvedge_waits_again which waits come straight from themselves (see
 * passes/waits.rs); woke_early tells whether anybody may have noticed, and is cleared
 *   - by a signal or broadcast, which could have woken the thread;
 *   - by a lock operation that fails because the thread holds a mutex.
 * Nothing else can notice: the thread wrote nothing, and a thread that waits for the mutex gets it later, as it would have.
 * A signal that comes while the thread has not yet got the mutex back could as well have woken it. Every discarded run
 * therefore has a counterpart that no thread can tell from it.
 *
 * Misuse ("lock"): waiting without holding the mutex, destroying a condition variable on which a thread
 * waits, using a destroyed one. Where that is not checked: the mutex is released whoever holds it, the
 * destroyer waits until no thread waits any more, and destroying changes nothing.
 */
#include "internal.h"
#include "mutex.c"
#include "threads.c"

/* Called before a wait that this thread may have come from. With `again` it has, with the same values in its variables. */
void __selvedge_waits_again(_Bool again) {
    __selvedge_atomic_begin();
    __selvedge_assume(!again || !selvedge_me.woke_early);
    __selvedge_atomic_end();
}

/* Where the program tells by a clock whether its wait has timed out, as <condition_variable> does, that clock has got there: once,
 * for all others stand at 0. */
int __selvedge_reached___selvedge_waited_until = 0;
static _Thread_local struct selvedge_timespec selvedge_waited_until;

_Bool __selvedge_waited_until(struct selvedge_timespec *now) {
    struct selvedge_timespec until = selvedge_waited_until;
    if (!until.seconds && !until.nanoseconds)
        return 0;
    *now = until;
    selvedge_waited_until.seconds = 0;
    selvedge_waited_until.nanoseconds = 0;
    return 1;
}

static int wait_cond(struct selvedge_cond *c, struct selvedge_mutex *m, const struct selvedge_timespec *until) {
    _Bool timed = until != SELVEDGE_NULL;
    if (timed) {
        __selvedge_check_read(until, sizeof *until);
        if (__selvedge_reached___selvedge_waited_until) {
            selvedge_waited_until.seconds = 0;
            selvedge_waited_until.nanoseconds = 0;
        }
    }
    __selvedge_atomic_begin();
    unsigned me = __selvedge_owner();
    if (c->destroyed == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "waits on a condition variable that is destroyed");
    unsigned word = m->word;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "waits on a condition variable with a mutex that is destroyed");
        word = 0;
    } else if (MUTEX_OWNER(word) != me) {
        int kind = mutex_kind(m);
        if (kind == MUTEX_RECURSIVE || kind == MUTEX_ERRORCHECK) {
            __selvedge_atomic_end();
            return E_PERM;
        }
        __selvedge_violation("lock", "waits on a condition variable without holding the mutex");
        word = 0;
    }
    _Bool due = cancellation_due(), early = 0, times_out = 0;
    if (!due) {
        if (word)
            give_back_mutex(m);
        else
            m->word = 0;
        early = (__selvedge_option_spurious_wakeups || timed) && wakes_by_itself();
        times_out = early && timed && (!__selvedge_option_spurious_wakeups || __selvedge_nondet_bool());
        selvedge_me.woke_early = 0;
        if (!early)
            selvedge_me.waiting_on = c;
    }
    __selvedge_atomic_end();
    if (due)
        act_on_cancellation(); /* with the mutex held */

    int error = 0;
    if (timed)
        __selvedge_yield();
    __selvedge_atomic_begin();
    me = __selvedge_owner();
    _Bool woken = !selvedge_me.waiting_on;
    due = !woken && cancellation_due();
    __selvedge_block_until(woken || due || timed);
    word = m->word;
    if (word == SELVEDGE_DESTROYED) {
        __selvedge_violation("lock", "the mutex of a waiting thread was destroyed");
        word = 0;
    }
    /* A recursive mutex that was locked more than once is still ours. */
    if (word == 0 || MUTEX_OWNER(word) == me) {
        m->word = word == 0 ? me : word + MUTEX_LEVEL;
        __selvedge_acquired(m, 1);
    } else {
        error = WAIT_FOR_OWNER(m, word);
    }
    selvedge_me.waiting_on = SELVEDGE_NULL;
    selvedge_me.woke_early = early;
    if (timed && (times_out || !woken) && !due && !error)
        error = E_TIMEDOUT;
    if (error == E_TIMEDOUT && __selvedge_reached___selvedge_waited_until)
        selvedge_waited_until = *until;
    __selvedge_atomic_end();
    if (due)
        act_on_cancellation();
    return error;
}

static int signal_cond(struct selvedge_cond *c) {
    __selvedge_atomic_begin();
    if (c->destroyed == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "signals a condition variable that is destroyed");
    int threads = __selvedge_threads(), waiting = 0;
    for (int t = 0; t < threads; t++) {
        if (thread_record(t)->waiting_on == c)
            waiting++;
        notice_early_thread(t);
    }
    if (waiting) {
        int chosen = waiting == 1 ? 0 : (int)__selvedge_nondet_range(0, (unsigned)waiting - 1);
        for (int t = 0; t < threads; t++) {
            struct selvedge_thread *other = thread_record(t);
            if (other->waiting_on == c && chosen-- == 0)
                other->waiting_on = SELVEDGE_NULL;
        }
    }
    __selvedge_atomic_end();
    return 0;
}

static int broadcast_cond(struct selvedge_cond *c) {
    __selvedge_atomic_begin();
    if (c->destroyed == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "signals a condition variable that is destroyed");
    int threads = __selvedge_threads();
    for (int t = 0; t < threads; t++) {
        struct selvedge_thread *other = thread_record(t);
        if (other->waiting_on == c)
            other->waiting_on = SELVEDGE_NULL;
        notice_early_thread(t);
    }
    __selvedge_atomic_end();
    return 0;
}

static int destroy_cond(struct selvedge_cond *c) {
    __selvedge_atomic_begin();
    if (c->destroyed == SELVEDGE_DESTROYED)
        __selvedge_violation("lock", "destroys a condition variable that is destroyed");
    int threads = __selvedge_threads();
    for (int t = 0; t < threads; t++) {
        if (thread_record(t)->waiting_on == c) {
            __selvedge_violation("lock", "destroys a condition variable on which a thread waits");
            __selvedge_block_until(0);
        }
    }
    c->destroyed = SELVEDGE_DESTROYED;
    __selvedge_atomic_end();
    return 0;
}

static int init_cond(struct selvedge_cond *c) {
    if (FAILS(init))
        return E_NOMEM;
    c->destroyed = 0;
    return 0;
}

int pthread_cond_init(struct selvedge_cond *c, const int *attr) {
    (void)attr;
    return init_cond(c);
}

int pthread_cond_destroy(struct selvedge_cond *c) {
    return destroy_cond(c);
}

int pthread_cond_wait(struct selvedge_cond *c, struct selvedge_mutex *m) {
    return wait_cond(c, m, SELVEDGE_NULL);
}

int pthread_cond_timedwait(struct selvedge_cond *c, struct selvedge_mutex *m, const struct selvedge_timespec *until) {
    return wait_cond(c, m, until);
}

int pthread_cond_clockwait(struct selvedge_cond *c, struct selvedge_mutex *m, int clock, const struct selvedge_timespec *until) {
    (void)clock;
    return wait_cond(c, m, until);
}

int pthread_cond_signal(struct selvedge_cond *c) {
    return signal_cond(c);
}

int pthread_cond_broadcast(struct selvedge_cond *c) {
    return broadcast_cond(c);
}

/* ---- attributes: bit 0 is process sharing, the rest the clock ---- */

int pthread_condattr_init(int *attr) {
    if (FAILS(init))
        return E_NOMEM;
    *attr = 0;
    return 0;
}

int pthread_condattr_destroy(int *attr) {
    (void)attr;
    return 0;
}

int pthread_condattr_setpshared(int *attr, int shared) {
    *attr = (*attr & ~1) | (shared & 1);
    return 0;
}

int pthread_condattr_getpshared(const int *attr, int *shared) {
    *shared = *attr & 1;
    return 0;
}

int pthread_condattr_setclock(int *attr, int clock) {
    *attr = (*attr & 1) | clock << 1;
    return 0;
}

int pthread_condattr_getclock(const int *attr, int *clock) {
    *clock = *attr >> 1;
    return 0;
}

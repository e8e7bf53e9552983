/* Signals.
 *
 * A signal that a thread sends to itself by raise is handled at once. One that is sent by kill, pthread_kill, sigqueue, alarm or
 * setitimer is pending, for a thread or for the process, and interrupts a thread that does not block it: between any two of its
 * accesses to memory that others can see, where the front end calls __selvedge_interruption, and where it waits in pause,
 * sigsuspend, sleep, sem_wait, read or poll. The handler runs in that thread, to its end, as on a real machine. A timer may
 * expire at any moment, or too late to matter; a periodic one up to three times, since runs should come to an end. Other waits are not interrupted, which the verdict names.
 *
 * Signals from outside are not sent, except to those who wait for them: sigwait may return any signal of its set, and a
 * thread in pause or sigsuspend may be ended with its process.
 */
#include "internal.h"
#include "threads.c"

enum {
    SIGNALS = 64, SIGNAL_ABORT = 6, SIGNAL_KILL = 9, SIGNAL_ALARM = 14, SIGNAL_CHILD = 17, SIGNAL_CONTINUE = 18, SIGNAL_STOP = 19, SIGNAL_URGENT = 23,
    SIGNAL_WINDOW = 28,
    WITH_INFORMATION = 4, RESTARTS = 0x10000000, NOT_BLOCKED = 0x40000000, ONLY_ONCE = (int)0x80000000,
};

#define DEFAULT_ACTION ((void (*)(int))0)
#define IGNORED ((void (*)(int))1)
#define ACTION_ERROR ((void (*)(int))-1L)
#define SIGNAL_WORDS (128 / sizeof(unsigned long))

typedef unsigned long long signal_set;

/* glibc's. */
struct selvedge_sigaction {
    void (*handler)(int);
    unsigned long mask[SIGNAL_WORDS];
    int flags;
    void (*restorer)(void);
};

struct signal_action {
    void (*handler)(int);
    signal_set mask;
    int flags;
};

struct signal_state {
    signal_set blocked;
    signal_set pending;
};

static struct signal_action selvedge_actions[SIGNALS + 1];
static signal_set selvedge_pending; /* for the process: any thread may take them */
/* How often a periodic timer will send each signal again. */
static unsigned char selvedge_repeats[SIGNALS + 1];
static _Thread_local struct signal_state selvedge_signals;

static signal_set signal_bit(int number) { return 1ull << (number - 1); }

static signal_set read_set(const unsigned long *words) {
    return sizeof(long) == 8 ? words[0] : words[0] | (signal_set)words[1] << 32;
}

static void write_set(unsigned long *words, signal_set set) {
    for (unsigned i = 0; i < SIGNAL_WORDS; i++)
        words[i] = 0;
    words[0] = (unsigned long)set;
    if (sizeof(long) == 4)
        words[1] = (unsigned long)(set >> 32);
}

static int signal_failed(int error) {
    selvedge_errno = error;
    return -1;
}

/* ---- delivery ---- */

/* The signals that may interrupt this thread now; to be called inside an atomic section. */
static signal_set deliverable(void) {
    return (selvedge_pending | selvedge_signals.pending) & ~selvedge_signals.blocked;
}

static _Bool signal_waits(void) { return deliverable() != 0; }

/* Takes one of `set`, which is not empty; to be called inside an atomic section. */
static int take_signal(signal_set set) {
    signal_set bit = set & (0 - set);
    int number = __builtin_ctzll(bit) + 1;
    if (selvedge_signals.pending & bit)
        selvedge_signals.pending &= ~bit;
    else if (selvedge_repeats[number])
        selvedge_repeats[number]--;
    else
        selvedge_pending &= ~bit;
    return number;
}

/* The signals of a machine that cannot go on: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV. */
static _Bool is_abnormal(int number) {
    return (number >= 4 && number <= 8) || number == 11;
}

static void handle_signal(int number) {
    __selvedge_atomic_begin();
    struct signal_action action = selvedge_actions[number];
    if (action.flags & ONLY_ONCE)
        selvedge_actions[number].handler = DEFAULT_ACTION;
    __selvedge_atomic_end();
    if (action.handler == IGNORED)
        return;
    if (action.handler == DEFAULT_ACTION) {
        if (number == SIGNAL_CHILD || number == SIGNAL_CONTINUE || number == SIGNAL_URGENT || number == SIGNAL_WINDOW)
            return;
        if (number >= SIGNAL_STOP && number <= SIGNAL_STOP + 3)
            __selvedge_unsupported("a signal that stops the process");
        if (is_abnormal(number))
            __selvedge_violation("abort", "a signal ends the process abnormally");
        __selvedge_process_exit();
    }
    signal_set before = selvedge_signals.blocked;
    selvedge_signals.blocked |= action.mask | (action.flags & NOT_BLOCKED ? 0 : signal_bit(number));
    if (action.flags & WITH_INFORMATION) {
        int information[32] = {number};
        ((void (*)(int, void *, void *))action.handler)(number, information, SELVEDGE_NULL);
    } else {
        action.handler(number);
    }
    selvedge_signals.blocked = before;
}

/* Handles what waits for this thread: whether the interrupted call starts again. */
static _Bool handle_waiting(void) {
    __selvedge_atomic_begin();
    signal_set set = deliverable();
    int number = set ? take_signal(set) : 0;
    _Bool restarts = number && (selvedge_actions[number].flags & RESTARTS);
    __selvedge_atomic_end();
    if (number)
        handle_signal(number);
    return restarts;
}

/* Called between the accesses of the program, if it sends signals. */
void __selvedge_interruption(void) {
    __selvedge_atomic_begin();
    signal_set set = deliverable();
    int number = set && __selvedge_nondet_bool() ? take_signal(set) : 0;
    __selvedge_atomic_end();
    if (number)
        handle_signal(number);
}

/* ---- sending ---- */

/* The front end looks for this name: with it, threads are interrupted. */
static int send_signal(signal_set *to, int number) {
    selvedge_signal_waits = signal_waits;
    selvedge_handle_waiting = handle_waiting;
    if (number < 0 || number > SIGNALS)
        return E_INVAL;
    __selvedge_atomic_begin();
    if (number)
        *to |= signal_bit(number);
    __selvedge_atomic_end();
    return 0;
}

static void raise_here(int number) {
    if (selvedge_signals.blocked & signal_bit(number)) {
        __selvedge_atomic_begin();
        selvedge_signals.pending |= signal_bit(number);
        __selvedge_atomic_end();
    } else {
        handle_signal(number);
    }
}

int raise(int number) {
    if (number < 1 || number > SIGNALS)
        return signal_failed(E_INVAL);
    raise_here(number);
    return 0;
}

int kill(int process, int number) {
    if (process != 2 && process != 0)
        __selvedge_unsupported("kill of another process");
    int error = send_signal(&selvedge_pending, number);
    return error ? signal_failed(error) : 0;
}

int pthread_kill(unsigned long handle, int number) {
    if (!is_thread(handle))
        return E_SRCH;
    if (!number)
        return 0;
    struct signal_state *other = __selvedge_tls_of((int)handle - 1, &selvedge_signals);
    return send_signal(&other->pending, number);
}

int pthread_sigqueue(unsigned long handle, int number, void *value) {
    (void)value;
    if (!is_thread(handle))
        return E_SRCH;
    struct signal_state *other = __selvedge_tls_of((int)handle - 1, &selvedge_signals);
    return send_signal(&other->pending, number);
}

int tgkill(int process, int thread, int number) {
    (void)process;
    if (!is_thread((unsigned long)thread - 1))
        return signal_failed(E_SRCH);
    struct signal_state *other = __selvedge_tls_of(thread - 2, &selvedge_signals);
    return send_signal(&other->pending, number);
}

/* A timer that sends this signal is set, or put off. */
static void set_timer(int number, _Bool on, _Bool is_periodic) {
    enum { REPEATS = 2 };
    __selvedge_atomic_begin();
    selvedge_repeats[number] = on && is_periodic ? REPEATS : 0;
    if (!on)
        selvedge_pending &= ~signal_bit(number);
    __selvedge_atomic_end();
    if (on)
        send_signal(&selvedge_pending, number);
}

unsigned alarm(unsigned seconds) {
    set_timer(SIGNAL_ALARM, seconds != 0, 0);
    return 0;
}

unsigned ualarm(unsigned microseconds, unsigned interval) {
    set_timer(SIGNAL_ALARM, microseconds != 0, interval != 0);
    return 0;
}

/* The interval comes first, and then the time to the first expiration. */
int setitimer(int which, const long *value, long *old) {
    if (which != 0)
        __selvedge_unsupported("setitimer with another timer than the real one");
    if (old)
        old[0] = old[1] = old[2] = old[3] = 0;
    set_timer(SIGNAL_ALARM, value[2] || value[3], value[0] || value[1]);
    return 0;
}

/* ---- actions ---- */

/* Blocking it does not help. */
static void handle_abort(void) {
    __selvedge_atomic_begin();
    _Bool handled = selvedge_actions[SIGNAL_ABORT].handler != DEFAULT_ACTION;
    __selvedge_atomic_end();
    if (handled)
        handle_signal(SIGNAL_ABORT);
}

static int set_action(int number, void (*handler)(int), signal_set mask, int flags, struct signal_action *old) {
    if (number < 1 || number > SIGNALS || number == SIGNAL_KILL || number == SIGNAL_STOP)
        return signal_failed(E_INVAL);
    __selvedge_atomic_begin();
    selvedge_raise = raise_here;
    selvedge_abort_signal = handle_abort;
    struct signal_action *action = &selvedge_actions[number];
    *old = *action;
    action->handler = handler;
    action->mask = mask;
    action->flags = flags;
    __selvedge_atomic_end();
    return 0;
}

static void (*simple_action(int number, void (*handler)(int), int flags))(int) {
    struct signal_action old;
    return set_action(number, handler, 0, flags, &old) ? ACTION_ERROR : old.handler;
}

void (*signal(int number, void (*handler)(int)))(int) { return simple_action(number, handler, RESTARTS); }
void (*bsd_signal(int number, void (*handler)(int)))(int) { return simple_action(number, handler, RESTARTS); }
void (*sysv_signal(int number, void (*handler)(int)))(int) { return simple_action(number, handler, ONLY_ONCE | NOT_BLOCKED); }
void (*__sysv_signal(int number, void (*handler)(int)))(int) { return simple_action(number, handler, ONLY_ONCE | NOT_BLOCKED); }

int sigaction(int number, const struct selvedge_sigaction *action, struct selvedge_sigaction *old) {
    if (number < 1 || number > SIGNALS)
        return signal_failed(E_INVAL);
    struct signal_action before = selvedge_actions[number];
    int error = action ? set_action(number, action->handler, read_set(action->mask), action->flags, &before) : 0;
    if (!error && old) {
        old->handler = before.handler;
        write_set(old->mask, before.mask);
        old->flags = before.flags;
    }
    return error;
}

int siginterrupt(int number, int interrupts) {
    selvedge_actions[number].flags = interrupts ? selvedge_actions[number].flags & ~RESTARTS : selvedge_actions[number].flags | RESTARTS;
    return 0;
}

int sigaltstack(const void *stack, void *old) { (void)stack, (void)old; return 0; }

/* ---- sets and masks ---- */

int sigemptyset(unsigned long *set) { write_set(set, 0); return 0; }
int sigfillset(unsigned long *set) { write_set(set, ~0ull); return 0; }

int sigaddset(unsigned long *set, int number) {
    if (number < 1 || number > SIGNALS)
        return signal_failed(E_INVAL);
    write_set(set, read_set(set) | signal_bit(number));
    return 0;
}

int sigdelset(unsigned long *set, int number) {
    if (number < 1 || number > SIGNALS)
        return signal_failed(E_INVAL);
    write_set(set, read_set(set) & ~signal_bit(number));
    return 0;
}

int sigismember(const unsigned long *set, int number) {
    if (number < 1 || number > SIGNALS)
        return signal_failed(E_INVAL);
    return (read_set(set) & signal_bit(number)) != 0;
}

static int change_mask(int how, const unsigned long *set, unsigned long *old) {
    enum { BLOCK = 0, UNBLOCK = 1, REPLACE = 2 };
    signal_set before = selvedge_signals.blocked;
    if (set) {
        signal_set given = read_set(set);
        if (how < BLOCK || how > REPLACE)
            return E_INVAL;
        selvedge_signals.blocked = how == BLOCK ? before | given : how == UNBLOCK ? before & ~given : given;
    }
    if (old)
        write_set(old, before);
    /* Pending signals that are blocked no more come before this returns. */
    while (set && selvedge_handle_waiting && signal_waits())
        handle_waiting();
    return 0;
}

int pthread_sigmask(int how, const unsigned long *set, unsigned long *old) { return change_mask(how, set, old); }

int sigprocmask(int how, const unsigned long *set, unsigned long *old) {
    int error = change_mask(how, set, old);
    return error ? signal_failed(error) : 0;
}

int sigpending(unsigned long *set) {
    __selvedge_atomic_begin();
    write_set(set, selvedge_pending | selvedge_signals.pending);
    __selvedge_atomic_end();
    return 0;
}

/* ---- waiting ---- */

/* If none comes from inside, one from outside ends the process: no thread waits for ever here. */
static int wait_for_signal(void) {
    cancellation_point();
    __selvedge_yield();
    __selvedge_atomic_begin();
    _Bool waits = deliverable() != 0;
    __selvedge_atomic_end();
    if (!waits)
        __selvedge_process_exit();
    handle_waiting();
    return signal_failed(E_INTR);
}

int pause(void) { return wait_for_signal(); }

int sigsuspend(const unsigned long *set) {
    signal_set before = selvedge_signals.blocked;
    selvedge_signals.blocked = read_set(set);
    int result = wait_for_signal();
    selvedge_signals.blocked = before;
    return result;
}

/* One that is pending, or any of the set, from outside. */
static int accept_signal(const unsigned long *words) {
    cancellation_point();
    signal_set set = read_set(words);
    __selvedge_atomic_begin();
    signal_set pending = (selvedge_pending | selvedge_signals.pending) & set;
    int number;
    if (pending) {
        number = take_signal(pending);
    } else {
        __selvedge_block_until(set != 0);
        number = (int)__selvedge_nondet_range(1, SIGNALS);
        __selvedge_assume((set & signal_bit(number)) != 0);
    }
    __selvedge_atomic_end();
    return number;
}

int sigwait(const unsigned long *set, int *number) {
    *number = accept_signal(set);
    return 0;
}

static int accept_with_information(const unsigned long *set, int *information) {
    int number = accept_signal(set);
    if (information) {
        __builtin_memset(information, 0, 128);
        information[0] = number;
    }
    return number;
}

int sigwaitinfo(const unsigned long *set, int *information) { return accept_with_information(set, information); }

int sigtimedwait(const unsigned long *set, int *information, const struct selvedge_timespec *timeout) {
    (void)timeout;
    if (__selvedge_nondet_bool())
        return signal_failed(E_AGAIN);
    return accept_with_information(set, information);
}

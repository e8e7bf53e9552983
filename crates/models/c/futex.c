/* futex, and system calls by number.
 *
 * A waiting thread is marked in its own record (waiting_on), as for condition variables; a wake picks any of the threads
 * that wait at that word. The comparison with the expected value and the mark are one step, which is all that futex
 * promises. A wait may also end by itself, with EINTR, unless --no-spurious-wakeups is given.
 *
 * Priority inheritance, FUTEX_WAKE_OP and bit sets that leave out waiters are not modelled; like every system call that is not
 * modelled they are named when reached.
 */
#include "internal.h"
#include "cond.c"

enum {
    FUTEX_WAIT = 0, FUTEX_WAKE = 1, FUTEX_REQUEUE = 3, FUTEX_CMP_REQUEUE = 4, FUTEX_WAIT_BITSET = 9, FUTEX_WAKE_BITSET = 10,
    FUTEX_FLAGS = 128 | 256, /* private; the realtime clock */
};

static long system_call_failed(int error) {
    selvedge_errno = error;
    return -1;
}

static long futex_wait(const int *word, int expected, _Bool timed) {
    __selvedge_atomic_begin();
    if (*word != expected) {
        __selvedge_atomic_end();
        return system_call_failed(E_AGAIN);
    }
    _Bool early = __selvedge_option_spurious_wakeups && wakes_by_itself();
    if (!early)
        selvedge_me.waiting_on = word;
    __selvedge_atomic_end();
    if (early)
        return system_call_failed(E_INTR);
    if (timed)
        __selvedge_yield();
    __selvedge_atomic_begin();
    _Bool woken = !selvedge_me.waiting_on;
    __selvedge_block_until(woken || timed);
    selvedge_me.waiting_on = SELVEDGE_NULL;
    __selvedge_atomic_end();
    return woken ? 0 : system_call_failed(E_TIMEDOUT);
}

/* Wakes `most` of those that wait at `word`, any of them; to be called inside an atomic section. */
static int futex_wake_some(const int *word, int most, const int *others_to, int most_moved) {
    int threads = __selvedge_threads(), waiting = 0, done = 0;
    for (int t = 0; t < threads; t++)
        waiting += thread_record(t)->waiting_on == word;
    for (int t = 0; t < threads && done < most; t++) {
        struct selvedge_thread *other = thread_record(t);
        if (other->waiting_on != word)
            continue;
        /* As many as must be woken may not be left over; otherwise any may be. */
        if (waiting <= most - done || __selvedge_nondet_bool()) {
            other->waiting_on = SELVEDGE_NULL;
            done++;
        }
        waiting--;
    }
    for (int t = 0; t < threads && others_to && most_moved > 0; t++) {
        struct selvedge_thread *other = thread_record(t);
        if (other->waiting_on == word) {
            other->waiting_on = others_to;
            most_moved--;
            done++;
        }
    }
    return done;
}

static long futex_wake(const int *word, int most, const int *others_to, int most_moved) {
    __selvedge_check_read(word, sizeof *word);
    __selvedge_atomic_begin();
    int woken = futex_wake_some(word, most, others_to, most_moved);
    __selvedge_atomic_end();
    return woken;
}

static long futex_call(__builtin_va_list args) {
    int *word = __builtin_va_arg(args, int *);
    int operation = __builtin_va_arg(args, int) & ~FUTEX_FLAGS;
    int value = __builtin_va_arg(args, int);
    if (operation == FUTEX_WAKE)
        return futex_wake(word, value, SELVEDGE_NULL, 0);
    if (operation == FUTEX_WAIT) {
        void *timeout = __builtin_va_arg(args, void *);
        return futex_wait(word, value, timeout != SELVEDGE_NULL);
    }
    if (operation == FUTEX_WAIT_BITSET || operation == FUTEX_WAKE_BITSET) {
        void *timeout = __builtin_va_arg(args, void *);
        (void)__builtin_va_arg(args, void *);
        if (__builtin_va_arg(args, unsigned) != ~0u)
            __selvedge_unsupported("a futex with a bit set that leaves out waiters");
        return operation == FUTEX_WAIT_BITSET ? futex_wait(word, value, timeout != SELVEDGE_NULL)
                                              : futex_wake(word, value, SELVEDGE_NULL, 0);
    }
    if (operation == FUTEX_REQUEUE || operation == FUTEX_CMP_REQUEUE) {
        int most_moved = (int)(long)__builtin_va_arg(args, void *);
        int *other = __builtin_va_arg(args, int *);
        __selvedge_atomic_begin();
        _Bool changed = operation == FUTEX_CMP_REQUEUE && *word != __builtin_va_arg(args, int);
        int done = changed ? 0 : futex_wake_some(word, value, other, most_moved);
        __selvedge_atomic_end();
        return changed ? system_call_failed(E_AGAIN) : done;
    }
    __selvedge_unsupported("a futex operation other than wait, wake and requeue");
}

#ifdef __x86_64__
enum { CALL_SCHED_YIELD = 24, CALL_GETPID = 39, CALL_GETTID = 186, CALL_FUTEX = 202, CALL_EXIT = 60, CALL_EXIT_GROUP = 231, CALL_MEMBARRIER = 324 };
#else
enum { CALL_SCHED_YIELD = 158, CALL_GETPID = 20, CALL_GETTID = 224, CALL_FUTEX = 240, CALL_EXIT = 1, CALL_EXIT_GROUP = 252, CALL_MEMBARRIER = 375 };
#endif

#define OTHER(n) case n: __selvedge_unsupported("system call " #n);
#define OTHER_TEN(t)                                                                                              \
    OTHER(t##0) OTHER(t##1) OTHER(t##2) OTHER(t##3) OTHER(t##4) OTHER(t##5) OTHER(t##6) OTHER(t##7) OTHER(t##8) \
    OTHER(t##9)

/* Names the number. */
static void unknown_system_call(long number) __attribute__((noreturn));
static void unknown_system_call(long number) {
    switch (number) {
        OTHER_TEN() OTHER_TEN(1) OTHER_TEN(2) OTHER_TEN(3) OTHER_TEN(4) OTHER_TEN(5) OTHER_TEN(6) OTHER_TEN(7) OTHER_TEN(8)
        OTHER_TEN(9) OTHER_TEN(10) OTHER_TEN(11) OTHER_TEN(12) OTHER_TEN(13) OTHER_TEN(14) OTHER_TEN(15) OTHER_TEN(16)
        OTHER_TEN(17) OTHER_TEN(18) OTHER_TEN(19) OTHER_TEN(20) OTHER_TEN(21) OTHER_TEN(22) OTHER_TEN(23) OTHER_TEN(24)
        OTHER_TEN(25) OTHER_TEN(26) OTHER_TEN(27) OTHER_TEN(28) OTHER_TEN(29) OTHER_TEN(30) OTHER_TEN(31) OTHER_TEN(32)
        OTHER_TEN(33) OTHER_TEN(42) OTHER_TEN(43) OTHER_TEN(44) OTHER_TEN(45)
    }
    __selvedge_unsupported("a system call with an unknown number");
}

long syscall(long number, ...) {
    __builtin_va_list args;
    long result = 0;
    __builtin_va_start(args, number);
    switch (number) {
    case CALL_FUTEX:
        result = futex_call(args);
        break;
    case CALL_GETTID:
        result = (long)my_id() + 1;
        break;
    case CALL_GETPID:
        result = 2;
        break;
    case CALL_SCHED_YIELD:
        __selvedge_yield();
        break;
    case CALL_MEMBARRIER:
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        break;
    case CALL_EXIT:
        __selvedge_thread_exit();
    case CALL_EXIT_GROUP:
        __selvedge_process_exit();
    default:
        unknown_system_call(number);
    }
    __builtin_va_end(args);
    return result;
}

/* Shared by the models: the layout they give to the program's objects, and each thread's record.
 *
 * The program's objects have glibc's sizes on x86; the models use only a few bytes at their start.
 * All zero is a valid, unlocked object everywhere, so the static initialisers work unread. Freed or
 * unlocked objects go back to zero: situations that mean the same are then the same state.
 */
#ifndef SELVEDGE_INTERNAL_H
#define SELVEDGE_INTERNAL_H

#include "selvedge.h"

#define SELVEDGE_NULL ((void *)0)

enum {
    E_PERM = 1, E_NOENT = 2, E_SRCH = 3, E_INTR = 4, E_IO = 5, E_BADF = 9, E_CHILD = 10, E_AGAIN = 11, E_NOMEM = 12, E_BUSY = 16, E_EXIST = 17,
    E_INVAL = 22, E_MFILE = 24, E_NOSPC = 28, E_PIPE = 32, E_RANGE = 34, E_DEADLK = 35, E_NOSYS = 38, E_OVERFLOW = 75, E_TIMEDOUT = 110,
    E_OWNERDEAD = 130, E_NOTRECOVERABLE = 131,
};

/* An object that was destroyed holds this in the word that changes, until it is initialised again. */
#define SELVEDGE_DESTROYED 0xFFFFFFFFu

struct selvedge_timespec {
    long seconds;
    long nanoseconds;
};

/* Locked by thread number n, k extra times: word = (n + 1) | k << 16. The kind is read only when it
 * matters (relocking, or unlocking what is not ours); it stands where glibc's initialisers put it. */
struct selvedge_mutex {
    unsigned word;
    unsigned unused[__SIZEOF_POINTER__ == 8 ? 3 : 2];
    int kind;
};
enum { MUTEX_NORMAL = 0, MUTEX_RECURSIVE = 1, MUTEX_ERRORCHECK = 2, MUTEX_ADAPTIVE = 3, MUTEX_ROBUST = 16 };
#define MUTEX_OWNER(word) ((word) & 0x7FFFu)
#define MUTEX_INCONSISTENT 0x8000u /* robust, taken over from a dead owner, and not yet made consistent */
#define MUTEX_LEVEL 0x10000u
#define MUTEX_LOST 0xFFFFFFFEu /* robust, and given back while it was inconsistent */

/* Waiting is recorded in the waiting threads' records: a woken thread never looks at the object again,
 * so the waker may destroy it at once, as POSIX allows. */
struct selvedge_cond {
    unsigned destroyed;
};

struct selvedge_barrier {
    unsigned total;   /* 0: not initialised */
    unsigned arrived; /* or SELVEDGE_DESTROYED */
};

struct selvedge_semaphore {
    unsigned value; /* with the highest bit set once it is destroyed */
};

/* glibc's __pthread_unwind_buf_t, made by pthread_cleanup_push: the saved context comes first, and
 * there is room for much more after it. */
struct selvedge_unwind {
    void *context[2];
    struct selvedge_unwind *previous;
};

/* One for each thread; another thread's is reached by thread_record(). */
struct selvedge_thread {
    void *result;                    /* what join returns */
    struct selvedge_unwind *cleanup; /* innermost cleanup handler */
    const void *waiting_on;          /* condition variable or barrier; the waker sets it to null */
    unsigned short read_locks;       /* read locks held, over all read-write locks */
    _Bool detached;
    _Bool joined;
    _Bool cancel_requested;
    _Bool cancel_disabled;
    _Bool woke_early; /* left its last wait without a signal, and nobody has noticed (see cond.c) */
    _Bool succeeded;  /* a later thread has its number */
    unsigned short again; /* the number, plus one, of the joined thread whose number it has; 0: its own */
};

/* pthread_attr_t */
struct selvedge_attr {
    int detached; /* PTHREAD_CREATE_DETACHED is 1 */
    int scope;
    int policy;
    int inherit;
    int priority;
    __selvedge_size stack_size;
    __selvedge_size guard_size;
    void *stack;
};

/* What the command line sets. */
int __selvedge_option_spurious_wakeups = 1;

/* Calls that fail as the standard says, where --may-fail names their group. */
int __selvedge_option_may_fail_create = 0;
int __selvedge_option_may_fail_malloc = 0;
int __selvedge_option_may_fail_init = 0;
int __selvedge_option_may_fail_files = 0;
int __selvedge_option_may_fail_wait = 0;
/* No line, block or word that is read is longer than this; 0: nobody says. */
int __selvedge_option_longest_input = 0;
#define LONGEST_INPUT(room) \
    (__selvedge_option_longest_input && (room) > (unsigned)__selvedge_option_longest_input ? (unsigned)__selvedge_option_longest_input : (room))
#define FAILS(group) (__selvedge_option_may_fail_##group && __selvedge_nondet_bool())

/* Traces know this choice by the function that makes it. */
static _Bool wakes_by_itself(void) {
    return __selvedge_nondet_bool();
}

static _Thread_local struct selvedge_thread selvedge_me;
static _Thread_local int selvedge_errno;

/* Set by the first pthread_key_create and atexit, so that a program without them carries nothing of
 * theirs in its state. */
static void (*selvedge_run_destructors)(void);
static void (*selvedge_run_exit_handlers)(void);
/* Set by the first object of C++ that is to be destroyed with its thread. */
static void (*selvedge_destroy_thread_locals)(void);

/* Set when the first signal is sent: whether one may interrupt this thread, asked inside an atomic section; and what handles
 * it, and says whether the interrupted call is to start again. */
static _Bool (*selvedge_signal_waits)(void);
static _Bool (*selvedge_handle_waiting)(void);
/* Set when the first action is set. */
static void (*selvedge_raise)(int number);
static void (*selvedge_abort_signal)(void); /* handles SIGABRT, if there is a handler */

/* A variable of the library that its callers share without a lock, as the standard lets it: it counts as theirs, so that
 * threads race for it (C11 7.1.4p5, POSIX 2.9.1). */
#define SELVEDGE_UNPROTECTED __attribute__((section("unprotected")))

/* An open stream is an object; none, or one that was closed, is a misuse of memory. */
static inline void use_stream(const void *stream) {
    __selvedge_check_read(stream, 1);
}

static inline unsigned my_id(void) {
    return (unsigned)__selvedge_self() + 1;
}

static inline struct selvedge_thread *thread_record(int thread) {
    return __selvedge_tls_of(thread, &selvedge_me);
}

/* To be called inside an atomic section only: another thread writes cancel_requested. */
static inline _Bool cancellation_due(void) {
    return selvedge_me.cancel_requested && !selvedge_me.cancel_disabled;
}

static void leave_thread(void *result) __attribute__((noreturn));
static void act_on_cancellation(void) __attribute__((noreturn));
static void cancellation_point(void);
/* For calls that are cancellation points, but take no step of their own otherwise. */
extern int __selvedge_reached_pthread_cancel;
#define MAY_BE_CANCELLED()                     \
    do {                                       \
        if (__selvedge_reached_pthread_cancel) \
            cancellation_point();              \
    } while (0)

static _Bool is_thread(unsigned long handle);
static int create_thread(unsigned long *handle, void (*body)(void *, void *), void *start, void *arg, _Bool detached);
static int join_thread(unsigned long handle, void **result);
static int detach_thread(unsigned long handle);

static int init_mutex(struct selvedge_mutex *m, int kind);
static int lock_mutex(struct selvedge_mutex *m);
static int lock_mutex_or(struct selvedge_mutex *m, int when_held);
static int unlock_mutex(struct selvedge_mutex *m);
static int destroy_mutex(struct selvedge_mutex *m);

/* Defined if the program waits on condition variables at all. */
extern int __selvedge_reached_wait_cond;
static int wait_cond(struct selvedge_cond *c, struct selvedge_mutex *m, const struct selvedge_timespec *until);
static int signal_cond(struct selvedge_cond *c);
static int broadcast_cond(struct selvedge_cond *c);
static int destroy_cond(struct selvedge_cond *c);

static int run_once(int *once, void (*routine)(void));

static int create_key(unsigned *key, void (*destructor)(void *));
static int delete_key(unsigned key);
static void *get_specific(unsigned key);
static int set_specific(unsigned key, const void *value);

static void *allocate(__selvedge_size size, __selvedge_size align);
static void *reallocate(void *old, __selvedge_size size);
void __selvedge_model_exit(int status) __attribute__((noreturn)); /* what exit does */
static void end_process(int status) __attribute__((noreturn)); /* without handlers */
static double any_double(void);
static __selvedge_size text_length(const char *s);
static int same_text(const char *a, const char *b);

/* Any bytes, chosen where they are read: a new object that nobody has written has such. */
static inline void fill_with_anything(void *to, __selvedge_size size) {
    if (size) {
        void *anything = __selvedge_alloc(size, 1);
        __builtin_memcpy(to, anything, size);
        __selvedge_free(anything);
    }
}

#endif

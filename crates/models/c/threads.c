/* Threads: creation, joining, ending, cancellation, cleanup handlers.
 *
 * A pthread_t is the thread's number plus one, so it is never 0. Some programs want no handle and pass
 * a null pointer: where memory is not checked, they get their thread all the same. The handle is stored after the thread was
 * created, so that the thread may run before: POSIX promises it to the creator only, when the call has returned.
 *
 * A request for cancellation takes effect at the next cancellation point; in a thread of asynchronous type also between any two
 * steps that others could notice, where the front end calls __selvedge_cancellation. Cleanup handlers follow glibc's expansion
 * of pthread_cleanup_push: a saved context for each handler, chained in the thread's record; a dying thread jumps to the
 * innermost one. A routine of pthread_once that is left in this way has not run.
 * When main has ended by pthread_exit, the last thread to end runs the handlers of atexit, as exit(0) does.
 * Calls of setjmp, _setjmp, sigsetjmp and __sigsetjmp are turned into the intrinsic by the front end:
 * a C function of that name could only save its own, dying frame.
 *
 * Misuse ("thread"): joining or detaching a thread that is joined or detached already, cancelling a
 * joined one, naming what is no thread. Joining oneself is a deadlock; where those are not checked, it fails with
 * EDEADLK, as in glibc. Where that is not checked, the call fails: with EINVAL on a detached thread, with ESRCH on what
 * is no thread, or no more.
 */
#include "internal.h"

int *__errno_location(void) {
    return &selvedge_errno;
}

/* ---- ending ---- */

/* Whether there may be something to do at the end of the process, at the end of a routine of pthread_once, … at all. */
int __selvedge_reached_add_exit_handler = 0;
int __selvedge_reached_run_once = 0;
int __selvedge_reached_pthread_cancel = 0;
int __selvedge_reached_pthread_exit = 0;
int __selvedge_reached_thrd_exit = 0;
int __selvedge_reached_pthread_setcanceltype = 0;

static _Thread_local _Bool selvedge_has_ended;

static _Bool is_last_to_end(void) {
    _Bool last = 1;
    __selvedge_atomic_begin();
    selvedge_has_ended = 1;
    int threads = __selvedge_threads();
    for (int t = 0; t < threads; t++)
        last &= *(_Bool *)__selvedge_tls_of(t, &selvedge_has_ended);
    __selvedge_atomic_end();
    return last;
}

static void finish_thread(void) __attribute__((noreturn));
static void finish_thread(void) {
    if (selvedge_destroy_thread_locals)
        selvedge_destroy_thread_locals();
    if (selvedge_run_destructors)
        selvedge_run_destructors();
    if (__selvedge_reached_add_exit_handler && is_last_to_end()) {
        if (selvedge_run_exit_handlers)
            selvedge_run_exit_handlers();
        __selvedge_process_exit();
    }
    __selvedge_thread_exit();
}

/* Routines of pthread_once that this thread runs, the innermost first. */
struct once_running {
    int *once;
    struct selvedge_unwind *outside; /* the innermost cleanup handler when it began */
    struct once_running *next;
};
static _Thread_local struct once_running *selvedge_once_running;

/* The thread dies, and all handlers inside of `handler` have run: what they were pushed in is left. */
static void leave_once(const struct selvedge_unwind *handler) {
    while (selvedge_once_running && selvedge_once_running->outside == handler) {
        __atomic_store_n(selvedge_once_running->once, 0, __ATOMIC_SEQ_CST);
        selvedge_once_running = selvedge_once_running->next;
    }
}

static void unwind_thread(void) __attribute__((noreturn));
static void unwind_thread(void) {
    struct selvedge_unwind *handler = selvedge_me.cleanup;
    if (__selvedge_reached_run_once)
        leave_once(handler);
    if (!handler)
        finish_thread();
    selvedge_me.cleanup = handler->previous;
    __selvedge_longjmp(handler->context, 1);
}

/* The result is looked at by whoever joins the thread, and not before its end: nobody can tell the two apart, so that they
 * are one with the thread's last step. Not so where a request to cancel it may come in between. */
static void leave_thread(void *result) {
    if (__selvedge_reached_pthread_cancel) {
        __selvedge_atomic_begin();
        selvedge_me.result = result;
        selvedge_me.cancel_disabled = 1;
        __selvedge_atomic_end();
    } else {
        selvedge_me.result = result;
    }
    unwind_thread();
}

static void act_on_cancellation(void) {
    leave_thread((void *)-1L); /* PTHREAD_CANCELED */
}

static void cancellation_point(void) {
    __selvedge_atomic_begin();
    _Bool due = cancellation_due();
    __selvedge_atomic_end();
    if (due)
        act_on_cancellation();
}

void pthread_exit(void *result) {
    leave_thread(result);
}

void __pthread_register_cancel(struct selvedge_unwind *handler) {
    handler->previous = selvedge_me.cleanup;
    selvedge_me.cleanup = handler;
}

void __pthread_unregister_cancel(struct selvedge_unwind *handler) {
    selvedge_me.cleanup = handler->previous;
}

void __pthread_register_cancel_defer(struct selvedge_unwind *handler) {
    handler->previous = selvedge_me.cleanup;
    selvedge_me.cleanup = handler;
}

void __pthread_unregister_cancel_restore(struct selvedge_unwind *handler) {
    selvedge_me.cleanup = handler->previous;
}

/* Called by a handler that has run: on to the next one. */
void __pthread_unwind_next(struct selvedge_unwind *handler) {
    (void)handler;
    unwind_thread();
}

void longjmp(void *context, int value) {
    __selvedge_longjmp(context, value ? value : 1);
}

void _longjmp(void *context, int value) {
    __selvedge_longjmp(context, value ? value : 1);
}

void siglongjmp(void *context, int value) {
    __selvedge_longjmp(context, value ? value : 1);
}

/* ---- creating ---- */

int __selvedge_reached_pthread_equal = 0;
int __selvedge_reached_thrd_equal = 0;
/* The program compares handles by `==` (passes/src/handles.rs). */
int __selvedge_handles_compared = 0;

static int leaves_its_number(int thread) {
    struct selvedge_thread *record = thread_record(thread);
    return record->joined || record->detached && __selvedge_poll_finished(thread);
}

/* When a thread was joined, or has ended detached, its number is free for another one (POSIX.1-2017, 2.9.2). Who asks whether two
 * threads are the same sees that; all other functions still tell the two apart, so that whoever uses a stale handle is found to do
 * so. */
static void choose_number(int thread) {
    for (int t = 1; t < thread; t++) {
        struct selvedge_thread *other = thread_record(t);
        if (!other->succeeded && leaves_its_number(t) && __selvedge_nondet_bool()) {
            other->succeeded = 1;
            thread_record(thread)->again = other->again ? other->again : (unsigned short)(t + 1);
            return;
        }
    }
}

static int create_thread(unsigned long *handle, void (*body)(void *, void *), void *start, void *arg, _Bool detached) {
    if (FAILS(create))
        return E_AGAIN;
    __selvedge_atomic_begin();
    int thread = __selvedge_spawn(body, start, arg);
    if (detached)
        thread_record(thread)->detached = 1;
    if (__selvedge_reached_pthread_equal || __selvedge_reached_thrd_equal || __selvedge_handles_compared)
        choose_number(thread);
    if (!handle)
        __selvedge_violation("memory", "stores the new thread's handle through a null pointer");
    __selvedge_atomic_end();
    if (handle)
        *handle = (unsigned long)thread + 1;
    return 0;
}

static void posix_thread_body(void *start, void *arg) {
    leave_thread(((void *(*)(void *))start)(arg));
}

int pthread_create(unsigned long *handle, const struct selvedge_attr *attr, void *(*start)(void *), void *arg) {
    return create_thread(handle, posix_thread_body, (void *)start, arg, attr && attr->detached);
}

/* ---- joining and detaching ---- */

static _Bool is_thread(unsigned long handle) {
    return handle >= 1 && handle <= (unsigned long)__selvedge_threads() && __selvedge_created((int)handle - 1);
}

/* 0, or the error; to be called inside an atomic section. */
static int why_not_joinable(unsigned long handle) {
    if (!is_thread(handle)) {
        __selvedge_violation("thread", "joins something that is not a thread");
        return E_SRCH;
    }
    int thread = (int)handle - 1;
    struct selvedge_thread *other = thread_record(thread);
    if (other->detached) {
        __selvedge_violation("thread", "joins a thread that is detached");
        return E_INVAL;
    }
    if (other->joined) {
        __selvedge_violation("thread", "joins a thread that was joined before");
        return E_SRCH;
    }
    return thread == __selvedge_self() ? E_DEADLK : 0;
}

static int join_thread(unsigned long handle, void **result) {
    int thread = (int)handle - 1;
    void *value = SELVEDGE_NULL;
    __selvedge_atomic_begin();
    _Bool due = 0;
    int error = why_not_joinable(handle);
    if (error == E_DEADLK)
        __selvedge_violation("deadlock", "a thread joins itself");
    if (!error) {
        due = cancellation_due();
        if (!due) {
            struct selvedge_thread *other = thread_record(thread);
            /* Otherwise any thread could end this wait by cancelling the thread. */
            if (!__selvedge_reached_pthread_cancel || selvedge_me.cancel_disabled)
                __selvedge_waits_for(SELVEDGE_NULL, thread);
            __selvedge_block_until(__selvedge_finished(thread));
            other->joined = 1;
            if (result)
                value = other->result;
        }
    }
    __selvedge_atomic_end();
    if (due)
        act_on_cancellation();
    if (!error && result)
        *result = value;
    return error;
}

static int detach_thread(unsigned long handle) {
    int error = 0;
    __selvedge_atomic_begin();
    if (!is_thread(handle)) {
        __selvedge_violation("thread", "detaches something that is not a thread");
        error = E_SRCH;
    } else {
        struct selvedge_thread *other = thread_record((int)handle - 1);
        if (other->detached) {
            __selvedge_violation("thread", "detaches a thread that is detached");
            error = E_INVAL;
        } else if (other->joined) {
            __selvedge_violation("thread", "detaches a thread that was joined");
            error = E_SRCH;
        } else {
            other->detached = 1;
        }
    }
    __selvedge_atomic_end();
    return error;
}

int pthread_join(unsigned long handle, void **result) {
    return join_thread(handle, result);
}

int pthread_detach(unsigned long handle) {
    return detach_thread(handle);
}

/* Joins a finished thread; `otherwise` when it still runs. A timeout can pass at any moment, so the
 * timed variants need no more than this: waiting longer is being scheduled later. */
static int join_finished(unsigned long handle, void **result, int otherwise) {
    int thread = (int)handle - 1;
    void *value = SELVEDGE_NULL;
    __selvedge_atomic_begin();
    int error = why_not_joinable(handle);
    if (!error) {
        if (__selvedge_poll_finished(thread)) {
            struct selvedge_thread *other = thread_record(thread);
            other->joined = 1;
            value = other->result;
        } else {
            error = otherwise;
        }
    }
    __selvedge_atomic_end();
    if (!error && result)
        *result = value;
    return error;
}

int pthread_tryjoin_np(unsigned long handle, void **result) {
    return join_finished(handle, result, E_BUSY);
}

int pthread_timedjoin_np(unsigned long handle, void **result, const struct selvedge_timespec *until) {
    __selvedge_check_read(until, sizeof *until);
    cancellation_point();
    __selvedge_yield();
    return join_finished(handle, result, E_TIMEDOUT);
}

int pthread_clockjoin_np(unsigned long handle, void **result, int clock, const struct selvedge_timespec *until) {
    (void)clock;
    __selvedge_check_read(until, sizeof *until);
    cancellation_point();
    __selvedge_yield();
    return join_finished(handle, result, E_TIMEDOUT);
}

unsigned long pthread_self(void) {
    return my_id();
}

static unsigned long number_of(unsigned long handle) {
    if (!is_thread(handle))
        return handle;
    unsigned short again = thread_record((int)handle - 1)->again;
    return again ? again : handle;
}

static int is_one_thread(unsigned long a, unsigned long b) {
    __selvedge_atomic_begin();
    int is_one = number_of(a) == number_of(b);
    __selvedge_atomic_end();
    return is_one;
}

/* Called in place of a look at the handle itself, where it is compared. */
unsigned long __selvedge_thread_number(unsigned long handle) {
    __selvedge_atomic_begin();
    unsigned long number = number_of(handle);
    __selvedge_atomic_end();
    return number;
}

int pthread_equal(unsigned long a, unsigned long b) {
    return is_one_thread(a, b);
}

/* ---- cancellation ---- */

static _Thread_local _Bool selvedge_cancels_asynchronously;

/* Called by a thread that may just have made its own cancellation due. */
static void act_at_once(void) {
    if (__selvedge_reached_pthread_setcanceltype && __selvedge_reached_pthread_cancel && selvedge_cancels_asynchronously)
        cancellation_point();
}

/* Called between the accesses of the program, if it sets the asynchronous type and cancels threads. */
void __selvedge_cancellation(void) {
    if (!selvedge_cancels_asynchronously)
        return;
    __selvedge_atomic_begin();
    _Bool due = cancellation_due() && __selvedge_nondet_bool();
    __selvedge_atomic_end();
    if (due)
        act_on_cancellation();
}

int pthread_cancel(unsigned long handle) {
    int error = 0;
    __selvedge_atomic_begin();
    if (!is_thread(handle)) {
        __selvedge_violation("thread", "cancels something that is not a thread");
        error = E_SRCH;
    } else {
        struct selvedge_thread *other = thread_record((int)handle - 1);
        if (other->joined) {
            __selvedge_violation("thread", "cancels a thread that was joined");
            error = E_SRCH;
        } else {
            other->cancel_requested = 1;
        }
    }
    __selvedge_atomic_end();
    act_at_once();
    return error;
}

void pthread_testcancel(void) {
    cancellation_point();
}

int pthread_setcancelstate(int state, int *old) {
    if (state != 0 && state != 1)
        return E_INVAL;
    int before = selvedge_me.cancel_disabled;
    selvedge_me.cancel_disabled = state; /* PTHREAD_CANCEL_DISABLE is 1 */
    if (old)
        *old = before;
    act_at_once();
    return 0;
}

int pthread_setcanceltype(int type, int *old) {
    if (type != 0 && type != 1)
        return E_INVAL;
    int before = selvedge_cancels_asynchronously;
    selvedge_cancels_asynchronously = type; /* PTHREAD_CANCEL_ASYNCHRONOUS is 1 */
    if (old)
        *old = before;
    act_at_once();
    return 0;
}

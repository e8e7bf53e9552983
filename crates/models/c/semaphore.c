/* Counting semaphores, unnamed and named. Named ones live in a list; none exists when the program starts,
 * and no other process uses them. A timed wait gives up exactly when the value is 0 at its step.
 *
 * Misuse ("lock"): using a destroyed semaphore. Where that is not checked, it goes on with its value. */
#include "internal.h"
#include "string.c"
#include "threads.c"

#define SEMAPHORE_MAX 0x7FFFFFFFu
#define SEMAPHORE_DESTROYED 0x80000000u

static int semaphore_failed(int error) {
    selvedge_errno = error;
    return -1;
}

int sem_init(struct selvedge_semaphore *s, int shared, unsigned value) {
    (void)shared;
    if (value > SEMAPHORE_MAX)
        return semaphore_failed(E_INVAL); /* and the semaphore is what it was before */
    if (FAILS(init))
        return semaphore_failed(E_NOSPC);
    s->value = value;
    return 0;
}

int sem_destroy(struct selvedge_semaphore *s) {
    __selvedge_atomic_begin();
    if (s->value & SEMAPHORE_DESTROYED)
        __selvedge_violation("lock", "destroys a semaphore that is destroyed");
    s->value |= SEMAPHORE_DESTROYED;
    __selvedge_atomic_end();
    return 0;
}

/* 1: a signal came first. */
static int wait_semaphore(struct selvedge_semaphore *s) {
    __selvedge_atomic_begin();
    if (s->value & SEMAPHORE_DESTROYED) {
        __selvedge_violation("lock", "waits on a semaphore that is destroyed");
        s->value &= SEMAPHORE_MAX;
    }
    _Bool due = cancellation_due(), interrupted = s->value == 0 && selvedge_signal_waits && selvedge_signal_waits();
    __selvedge_block_until(due || interrupted || s->value > 0);
    if (!due && !interrupted)
        s->value--;
    __selvedge_atomic_end();
    if (due)
        act_on_cancellation();
    return interrupted;
}

int sem_wait(struct selvedge_semaphore *s) {
    if (FAILS(wait))
        return semaphore_failed(E_INTR);
    while (wait_semaphore(s))
        if (!selvedge_handle_waiting())
            return semaphore_failed(E_INTR);
    return 0;
}

static int wait_semaphore_or(struct selvedge_semaphore *s, int when_zero) {
    _Bool taken = 0;
    __selvedge_atomic_begin();
    if (s->value & SEMAPHORE_DESTROYED) {
        __selvedge_violation("lock", "waits on a semaphore that is destroyed");
        s->value &= SEMAPHORE_MAX;
    }
    if (s->value > 0) {
        s->value--;
        taken = 1;
    }
    __selvedge_atomic_end();
    return taken ? 0 : semaphore_failed(when_zero);
}

int sem_trywait(struct selvedge_semaphore *s) {
    return wait_semaphore_or(s, E_AGAIN);
}

int sem_timedwait(struct selvedge_semaphore *s, const struct selvedge_timespec *until) {
    __selvedge_check_read(until, sizeof *until);
    cancellation_point();
    __selvedge_yield();
    return FAILS(wait) ? semaphore_failed(E_INTR) : wait_semaphore_or(s, E_TIMEDOUT);
}

int sem_clockwait(struct selvedge_semaphore *s, int clock, const struct selvedge_timespec *until) {
    (void)clock;
    __selvedge_check_read(until, sizeof *until);
    cancellation_point();
    __selvedge_yield();
    return FAILS(wait) ? semaphore_failed(E_INTR) : wait_semaphore_or(s, E_TIMEDOUT);
}

int sem_post(struct selvedge_semaphore *s) {
    _Bool full = 0;
    __selvedge_atomic_begin();
    if (s->value & SEMAPHORE_DESTROYED) {
        __selvedge_violation("lock", "posts a semaphore that is destroyed");
        s->value &= SEMAPHORE_MAX;
    }
    if (s->value == SEMAPHORE_MAX)
        full = 1;
    else
        s->value++;
    __selvedge_atomic_end();
    return full ? semaphore_failed(E_OVERFLOW) : 0;
}

int sem_getvalue(struct selvedge_semaphore *s, int *value) {
    __selvedge_atomic_begin();
    if (s->value & SEMAPHORE_DESTROYED) {
        __selvedge_violation("lock", "reads a semaphore that is destroyed");
        s->value &= SEMAPHORE_MAX;
    }
    int now = (int)s->value;
    __selvedge_atomic_end();
    *value = now;
    return 0;
}

/* ---- named semaphores ---- */

struct named_semaphore {
    struct selvedge_semaphore semaphore; /* first: this is what sem_open hands out */
    unsigned opened;
    char *name; /* null when unlinked */
    struct named_semaphore *next;
};
static struct named_semaphore *selvedge_named;

static struct named_semaphore *find_named(const char *name) {
    struct named_semaphore *s = selvedge_named;
    while (s && !(s->name && same_text(s->name, name)))
        s = s->next;
    return s;
}

static void drop_named(struct named_semaphore *gone) {
    struct named_semaphore **link = &selvedge_named;
    while (*link && *link != gone)
        link = &(*link)->next;
    if (*link)
        *link = gone->next;
    __selvedge_free(gone);
}

struct selvedge_semaphore *sem_open(const char *name, int flags, ...) {
    enum { CREATE = 0100, EXCLUSIVE = 0200 };
    unsigned value = 0;
    if (flags & CREATE) {
        __builtin_va_list rest;
        __builtin_va_start(rest, flags);
        (void)__builtin_va_arg(rest, unsigned); /* the mode */
        value = __builtin_va_arg(rest, unsigned);
        __builtin_va_end(rest);
    }
    int error = 0;
    if (FAILS(init)) {
        selvedge_errno = E_MFILE;
        return SELVEDGE_NULL;
    }
    __selvedge_atomic_begin();
    struct named_semaphore *s = find_named(name);
    if (s && (flags & CREATE) && (flags & EXCLUSIVE)) {
        error = E_EXIST;
    } else if (!s && !(flags & CREATE)) {
        error = E_NOENT;
    } else if (!s && value > SEMAPHORE_MAX) {
        error = E_INVAL;
    } else if (!s) {
        __selvedge_size bytes = text_length(name) + 1;
        s = __selvedge_alloc(sizeof *s, sizeof(void *));
        s->name = __selvedge_alloc(bytes, 1);
        __builtin_memcpy(s->name, name, bytes);
        s->semaphore.value = value;
        s->opened = 0;
        s->next = selvedge_named;
        selvedge_named = s;
    }
    if (!error)
        s->opened++;
    __selvedge_atomic_end();
    if (error) {
        selvedge_errno = error;
        return SELVEDGE_NULL;
    }
    return &s->semaphore;
}

int sem_close(struct selvedge_semaphore *semaphore) {
    struct named_semaphore *s = (struct named_semaphore *)semaphore;
    __selvedge_atomic_begin();
    if (--s->opened == 0 && !s->name)
        drop_named(s);
    __selvedge_atomic_end();
    return 0;
}

int sem_unlink(const char *name) {
    __selvedge_atomic_begin();
    struct named_semaphore *s = find_named(name);
    _Bool found = s != SELVEDGE_NULL;
    if (found) {
        __selvedge_free(s->name);
        s->name = SELVEDGE_NULL;
        if (s->opened == 0)
            drop_named(s);
    }
    __selvedge_atomic_end();
    return found ? 0 : semaphore_failed(E_NOENT);
}

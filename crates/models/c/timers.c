/* Timers of timer_create. They expire as alarms do (signals.c), or in threads (SIGEV_THREAD): such a thread is there from the
 * moment at which the timer is set, and calls the function at any later one, unless the timer is put off before. */
#include "internal.h"
#include "signals.c"
#include "threads.c"

enum { TIMERS = 8, SEND_SIGNAL = 0, SEND_NOTHING = 1, START_THREAD = 2, EXPIRATIONS = 3, TIMER_BITS = 3 };

union timer_value {
    int number;
    void *pointer;
};

/* glibc's struct sigevent, as far as it matters. */
struct selvedge_event {
    union timer_value value;
    int signal;
    int notify;
    void (*function)(union timer_value);
};

struct timer {
    signed char signal; /* that it sends; -1: none, 0: it is free */
    _Bool is_periodic;
    unsigned short settings; /* how often it was set or put off: threads of earlier settings do nothing */
    void (*function)(union timer_value); /* that a thread calls, or null */
    union timer_value value;
};

static struct timer selvedge_timers[TIMERS];

int timer_create(int clock, const struct selvedge_event *event, void **timer) {
    (void)clock;
    int signal = !event ? SIGNAL_ALARM : event->notify == SEND_SIGNAL ? event->signal : -1;
    if (event && event->notify != SEND_SIGNAL && event->notify != SEND_NOTHING && event->notify != START_THREAD)
        __selvedge_unsupported("timer_create with a notification that is not modelled");
    __selvedge_atomic_begin();
    unsigned long free = 0;
    while (free < TIMERS && selvedge_timers[free].signal)
        free++;
    if (free < TIMERS) {
        selvedge_timers[free].signal = (signed char)signal;
        if (event && event->notify == START_THREAD) {
            selvedge_timers[free].function = event->function;
            selvedge_timers[free].value = event->value;
        }
    }
    __selvedge_atomic_end();
    if (free == TIMERS)
        __selvedge_unsupported("so many timers");
    *timer = (void *)free;
    return 0;
}

static struct timer *timer_of(void *timer) {
    unsigned long number = (unsigned long)timer;
    return number < TIMERS && selvedge_timers[number].signal ? &selvedge_timers[number] : SELVEDGE_NULL;
}

/* A thread of one setting of a timer, both in its argument. */
static void *expire(void *setting) {
    unsigned long number = (unsigned long)setting & (TIMERS - 1);
    struct timer *t = &selvedge_timers[number];
    for (int expired = 0; expired < EXPIRATIONS; expired++) {
        __selvedge_atomic_begin();
        _Bool is_set = t->settings == (unsigned short)((unsigned long)setting >> TIMER_BITS) && (t->is_periodic || !expired);
        void (*function)(union timer_value) = t->function;
        union timer_value value = t->value;
        __selvedge_atomic_end();
        if (!is_set)
            break;
        function(value);
    }
    return SELVEDGE_NULL;
}

static int set_timer_of_thread(void *timer, struct timer *t, _Bool on, _Bool is_periodic) {
    __selvedge_atomic_begin();
    t->settings++;
    t->is_periodic = is_periodic;
    unsigned long setting = (unsigned long)timer | (unsigned long)t->settings << TIMER_BITS, handle;
    __selvedge_atomic_end();
    return on ? create_thread(&handle, posix_thread_body, (void *)expire, (void *)setting, 1) : 0;
}

int timer_settime(void *timer, int flags, const long *value, long *old) {
    (void)flags;
    struct timer *t = timer_of(timer);
    if (!t)
        return signal_failed(E_INVAL);
    if (old)
        old[0] = old[1] = old[2] = old[3] = 0;
    _Bool on = value[2] || value[3], is_periodic = value[0] || value[1];
    int error = 0;
    if (t->signal > 0)
        set_timer(t->signal, on, is_periodic);
    else if (t->function)
        error = set_timer_of_thread(timer, t, on, is_periodic);
    return error ? signal_failed(error) : 0;
}

/* Whatever is left. */
int timer_gettime(void *timer, long *to) {
    if (!timer_of(timer))
        return signal_failed(E_INVAL);
    to[0] = to[1] = to[2] = 0;
    to[3] = (long)__selvedge_nondet_range(0, 999999999);
    return 0;
}

int timer_getoverrun(void *timer) { return timer_of(timer) ? 0 : signal_failed(E_INVAL); }

int timer_delete(void *timer) {
    struct timer *t = timer_of(timer);
    if (!t)
        return signal_failed(E_INVAL);
    if (t->signal > 0)
        set_timer(t->signal, 0, 0);
    else if (t->function)
        set_timer_of_thread(timer, t, 0, 0);
    t->signal = 0;
    t->function = SELVEDGE_NULL;
    return 0;
}

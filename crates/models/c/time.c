/* Time. A program that reads a clock once cannot tell how late it is; one that may read clocks more than once sees them go on:
 * between two readings no time passes, a millisecond, a second, or a long time, so that every deadline can pass, and no clock
 * goes backwards. After a few such moves they stand still, since runs should come to an end. All clocks show the same time;
 * clock() is the processor time, which is 0 at first.
 * Sleeping lets the others run, for any length of time, and is a cancellation point. */
#include "internal.h"
#include "threads.c"

static void sleep_some(void) {
    cancellation_point();
    __selvedge_yield();
    if (selvedge_handle_waiting)
        selvedge_handle_waiting();
}

unsigned sleep(unsigned seconds) {
    (void)seconds;
    sleep_some();
    return 0;
}

int usleep(unsigned microseconds) {
    (void)microseconds;
    sleep_some();
    return 0;
}

int nanosleep(const struct selvedge_timespec *duration, struct selvedge_timespec *remaining) {
    (void)remaining;
    __selvedge_check_read(duration, sizeof *duration);
    sleep_some();
    return 0;
}

int clock_nanosleep(int clock, int flags, const struct selvedge_timespec *duration, struct selvedge_timespec *remaining) {
    (void)clock, (void)flags, (void)remaining;
    __selvedge_check_read(duration, sizeof *duration);
    sleep_some();
    return 0;
}

int sched_yield(void) {
    __selvedge_yield();
    return 0;
}

enum { CLOCK_START = 1000000000, CLOCK_MOVES = 3 };

/* Call sites, and those that a run may come to more often count twice. */
int __selvedge_calls_time = 0;
int __selvedge_calls_clock = 0;
int __selvedge_calls_gettimeofday = 0;
int __selvedge_calls_clock_gettime = 0;
int __selvedge_calls_timespec_get = 0;
int __selvedge_calls_getrusage = 0;
int __selvedge_calls_times = 0;
#define CLOCKS_ARE_READ_AGAIN                                                                                          \
    (__selvedge_calls_time + __selvedge_calls_clock + __selvedge_calls_gettimeofday + __selvedge_calls_clock_gettime + \
         __selvedge_calls_timespec_get + __selvedge_calls_getrusage + __selvedge_calls_times > 1)

static struct clock_state {
    int moves;
    struct selvedge_timespec passed;
} selvedge_clock;

static struct selvedge_timespec time_passed(void) {
    struct selvedge_timespec passed = {0, 0};
    if (!CLOCKS_ARE_READ_AGAIN)
        return passed;
    __selvedge_atomic_begin();
    if (selvedge_clock.moves < CLOCK_MOVES) {
        unsigned step = (unsigned)__selvedge_nondet_range(0, 3);
        selvedge_clock.moves += step != 0;
        if (step == 1)
            selvedge_clock.passed.nanoseconds += 1000000; /* below a second, for the moves are few */
        else if (step)
            selvedge_clock.passed.seconds += step == 2 ? 1 : 10000000;
    }
    passed = selvedge_clock.passed;
    __selvedge_atomic_end();
    return passed;
}

static struct selvedge_timespec time_now(void) {
    struct selvedge_timespec now = time_passed();
    now.seconds += CLOCK_START;
    return now;
}

long time(long *out) {
    long now = time_now().seconds;
    if (out)
        *out = now;
    return now;
}

/* In microseconds. */
static long processor_microseconds(void) {
    struct selvedge_timespec passed = time_passed();
    return (passed.seconds < 1000 ? passed.seconds * 1000000 : 1000000000) + passed.nanoseconds / 1000;
}

long clock(void) { return processor_microseconds(); }

int gettimeofday(struct selvedge_timespec *now, void *zone) {
    (void)zone;
    *now = time_now();
    now->nanoseconds /= 1000; /* these are microseconds */
    return 0;
}

int clock_gettime(int clock, struct selvedge_timespec *now) {
    if (clock < 0 || clock > 11) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    *now = time_now();
    return 0;
}

int clock_getres(int clock, struct selvedge_timespec *resolution) {
    (void)clock;
    if (resolution) {
        resolution->seconds = 0;
        resolution->nanoseconds = 1;
    }
    return 0;
}

int timespec_get(struct selvedge_timespec *now, int base) {
    *now = time_now();
    return base;
}

double difftime(long later, long earlier) {
    return (double)(later - earlier);
}

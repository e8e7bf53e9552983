/* Time. Every clock stands at 0: a nondeterministic time would multiply the states, and programs rarely
 * depend on it. Sleeping lets the others run, for any length of time, and is a cancellation point. */
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

long time(long *out) {
    if (out)
        *out = 0;
    return 0;
}

long clock(void) {
    return 0;
}

int gettimeofday(struct selvedge_timespec *now, void *zone) {
    (void)zone;
    now->seconds = 0;
    now->nanoseconds = 0;
    return 0;
}

int clock_gettime(int clock, struct selvedge_timespec *now) {
    (void)clock;
    now->seconds = 0;
    now->nanoseconds = 0;
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
    now->seconds = 0;
    now->nanoseconds = 0;
    return base;
}

double difftime(long later, long earlier) {
    return (double)(later - earlier);
}

/* Waiting for several descriptors at once: poll, select, epoll.
 *
 * A file outside is always ready. With a timeout, waiting may end at any time. epoll tells of a level, or, with EPOLLET, of a
 * descriptor that is ready and with which something has happened since it was told of.
 */
#include "internal.h"
#include "files.c"
#include "threads.c"

enum { POLL_IN = 1, POLL_OUT = 4, POLL_ERROR = 8, POLL_HUNG_UP = 16, POLL_INVALID = 32 };

struct selvedge_poll {
    int file;
    short asked, found;
};

/* Of what is asked, what can be done without waiting, and how it is with the descriptor; inside an atomic section. */
static short ready_for(int file, int asked) {
    struct descriptor *d = descriptor_of(file);
    if (!d)
        return (short)(file >= FIRST_DESCRIPTOR ? POLL_INVALID : asked & (POLL_IN | POLL_OUT));
    int found = 0;
    if (d->kind != PIPE_WRITE && may_read(d))
        found |= asked & POLL_IN;
    if (d->kind != PIPE_READ && may_write(d, PIPE_BYTES))
        found |= asked & POLL_OUT;
    if (reads_from(d) && !reads_from(d)->writers)
        found |= POLL_HUNG_UP;
    if (writes_to(d) && !writes_to(d)->readers)
        found |= POLL_ERROR;
    return (short)found;
}

/* Inside an atomic section: how many are ready. */
static int poll_once(struct selvedge_poll *all, unsigned long count) {
    int ready = 0;
    for (unsigned long i = 0; i < count; i++) {
        struct selvedge_poll *one = &all[i];
        one->found = 0;
        if (one->file < 0)
            continue;
        one->found = ready_for(one->file, one->asked);
        ready += one->found != 0;
    }
    return ready;
}

static int poll_files(struct selvedge_poll *all, unsigned long count, _Bool timed) {
    cancellation_point();
    if (timed)
        __selvedge_yield();
    __selvedge_atomic_begin();
    int ready = poll_once(all, count);
    _Bool interrupted = !ready && selvedge_signal_waits && selvedge_signal_waits();
    __selvedge_block_until(ready || timed || interrupted);
    __selvedge_atomic_end();
    if (interrupted) {
        selvedge_handle_waiting();
        return file_failed(E_INTR);
    }
    return ready;
}

int poll(struct selvedge_poll *all, unsigned long count, int timeout) { return poll_files(all, count, timeout >= 0); }

int ppoll(struct selvedge_poll *all, unsigned long count, const void *timeout, const void *mask) {
    (void)mask;
    return poll_files(all, count, timeout != SELVEDGE_NULL);
}

/* The process has few descriptors, so the first word of each set has them all. */
static int select_files(int count, unsigned long *sets[3], _Bool timed) {
    static const short asks[] = {POLL_IN, POLL_OUT, 0};
    struct selvedge_poll all[DESCRIPTORS];
    int files = count < DESCRIPTORS ? count : DESCRIPTORS;
    if (count > DESCRIPTORS)
        __selvedge_unsupported("select of so many descriptors");
    for (int file = 0; file < files; file++) {
        all[file].file = -1;
        all[file].asked = 0;
        for (int set = 0; set < 3; set++)
            if (sets[set] && *sets[set] >> file & 1) {
                all[file].file = file;
                all[file].asked |= asks[set];
            }
    }
    if (poll_files(all, (unsigned long)files, timed) < 0)
        return -1;
    int ready = 0;
    for (int file = 0; file < files; file++) {
        if (all[file].file < 0)
            continue;
        if (all[file].found & POLL_INVALID)
            return file_failed(E_BADF);
        short found = all[file].found & POLL_HUNG_UP ? all[file].found | POLL_IN : all[file].found;
        for (int set = 0; set < 3; set++) {
            if (!sets[set] || !(*sets[set] >> file & 1))
                continue;
            if (found & asks[set])
                ready++;
            else
                *sets[set] &= ~(1ul << file);
        }
    }
    return ready;
}

int select(int count, unsigned long *in, unsigned long *out, unsigned long *errors, void *timeout) {
    unsigned long *sets[] = {in, out, errors};
    return select_files(count, sets, timeout != SELVEDGE_NULL);
}

int pselect(int count, unsigned long *in, unsigned long *out, unsigned long *errors, const void *timeout, const void *mask) {
    unsigned long *sets[] = {in, out, errors};
    (void)mask;
    return select_files(count, sets, timeout != SELVEDGE_NULL);
}

/* ---- epoll ---- */

enum { EPOLL_ADD = 1, EPOLL_REMOVE = 2, EPOLL_CHANGE = 3, EDGES = (int)(1u << 31), ONCE = 1 << 30 };

/* The data is a union, of which the program may have written a part. */
struct selvedge_epoll_event {
    unsigned events;
    unsigned data[2];
};

struct interest {
    struct interest *next;
    int file;
    _Bool is_off; /* it was told of, and asked for once */
    struct selvedge_epoll_event asked;
};

/* News of one end of a pipe is for the other end. */
static void note_news(const struct descriptor *d) {
    for (int file = FIRST_DESCRIPTOR; file < DESCRIPTORS; file++) {
        struct descriptor *other = &selvedge_descriptors[file];
        const struct pipe_buffer *from = reads_from(d), *to = writes_to(d);
        _Bool is_other_end = other != d && ((from && writes_to(other) == from) || (to && reads_from(other) == to));
        if (is_other_end || (other == d && !from && !to))
            other->has_news = 1;
    }
}

static void drop_interest(struct interest **link) {
    struct interest *one = *link;
    *link = one->next;
    __selvedge_free(one);
}

static struct interest **interest_in(struct descriptor *set, int file) {
    struct interest **link = &set->interests;
    while (*link && (*link)->file != file)
        link = &(*link)->next;
    return link;
}

/* A descriptor that is closed leaves all sets, and so does all that a set has when that is closed. */
static void forget_file(int file) {
    struct descriptor *closed = &selvedge_descriptors[file];
    while (closed->kind == INTERESTS && closed->interests)
        drop_interest(&closed->interests);
    for (int other = FIRST_DESCRIPTOR; other < DESCRIPTORS; other++)
        if (selvedge_descriptors[other].kind == INTERESTS) {
            struct interest **link = interest_in(&selvedge_descriptors[other], file);
            if (*link)
                drop_interest(link);
        }
}

static int new_set(void) {
    __selvedge_atomic_begin();
    int file = new_descriptor(INTERESTS, 0);
    if (file < 0)
        __selvedge_unsupported("more than 32 file descriptors");
    selvedge_descriptors[file].interests = SELVEDGE_NULL;
    selvedge_forget_file = forget_file;
    __selvedge_atomic_end();
    return file;
}

int epoll_create(int size) { return size > 0 ? new_set() : file_failed(E_INVAL); }
int epoll_create1(int flags) { (void)flags; return new_set(); }

static int change_interest(struct descriptor *set, int change, int file, const struct selvedge_epoll_event *event) {
    struct descriptor *d = descriptor_of(file);
    if (!d && (file < 0 || file >= FIRST_DESCRIPTOR))
        return E_BADF;
    struct interest **link = interest_in(set, file);
    if (change == EPOLL_ADD && *link)
        return E_EXIST;
    if (change != EPOLL_ADD && !*link)
        return E_NOENT;
    if (change == EPOLL_REMOVE) {
        drop_interest(link);
        return 0;
    }
    if (change == EPOLL_ADD) {
        struct interest *one = __selvedge_alloc(sizeof *one, 8);
        one->next = SELVEDGE_NULL;
        one->file = file;
        *link = one;
    }
    (*link)->is_off = 0;
    (*link)->asked = *event;
    if (event->events & (unsigned)EDGES) {
        selvedge_note_news = note_news;
        if (d)
            d->has_news = 1;
    }
    return 0;
}

int epoll_ctl(int set, int change, int file, const struct selvedge_epoll_event *event) {
    if (change != EPOLL_REMOVE)
        __selvedge_check_read(event, sizeof *event);
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(set);
    int error = !d ? E_BADF : d->kind != INTERESTS || file == set || change < EPOLL_ADD || change > EPOLL_CHANGE ? E_INVAL : 0;
    if (!error)
        error = change_interest(d, change, file, event);
    __selvedge_atomic_end();
    return error ? file_failed(error) : 0;
}

/* Tells of those that are ready, at most so many; inside an atomic section. */
static int tell_of_ready(struct descriptor *set, struct selvedge_epoll_event *to, int most) {
    int told = 0;
    for (struct interest *one = set->interests; one && told < most; one = one->next) {
        struct descriptor *d = descriptor_of(one->file);
        short found = one->is_off ? 0 : ready_for(one->file, (int)one->asked.events);
        _Bool by_edge = (one->asked.events & (unsigned)EDGES) && d && d->kind != OUTSIDE;
        if (!found || (by_edge && !d->has_news))
            continue;
        if (by_edge)
            d->has_news = 0;
        one->is_off = (one->asked.events & ONCE) != 0;
        to[told] = one->asked;
        to[told].events = (unsigned)found;
        told++;
    }
    return told;
}

static int wait_for_events(int file, struct selvedge_epoll_event *to, int most, int timeout) {
    cancellation_point();
    if (most <= 0)
        return file_failed(E_INVAL);
    __selvedge_check_write(to, (__selvedge_size)most * sizeof *to);
    if (timeout > 0)
        __selvedge_yield();
    __selvedge_atomic_begin();
    struct descriptor *set = descriptor_of(file);
    int error = !set ? E_BADF : set->kind != INTERESTS ? E_INVAL : 0;
    int ready = error ? 0 : tell_of_ready(set, to, most);
    _Bool interrupted = !error && !ready && selvedge_signal_waits && selvedge_signal_waits();
    __selvedge_block_until(ready || error || timeout >= 0 || interrupted);
    __selvedge_atomic_end();
    if (interrupted)
        selvedge_handle_waiting();
    if (interrupted || error)
        return file_failed(interrupted ? E_INTR : error);
    return ready;
}

int epoll_wait(int set, struct selvedge_epoll_event *to, int most, int timeout) { return wait_for_events(set, to, most, timeout); }

int epoll_pwait(int set, struct selvedge_epoll_event *to, int most, int timeout, const void *mask) {
    (void)mask;
    return wait_for_events(set, to, most, timeout);
}

/* File descriptors: pipes and event counters among threads, and files outside.
 *
 * A pipe holds up to a page of bytes, which is all that Linux promises; reading blocks while it is empty and somebody may still
 * write, writing while there is no room. Files outside hold any bytes, have any length, and writing to them succeeds.
 * A descriptor that is not open yields EBADF.
 */
#include "internal.h"
#include "threads.c"

enum {
    DESCRIPTORS = 32, FIRST_DESCRIPTOR = 3, PIPE_BYTES = 4096, NOT_BLOCKING = 04000, COUNTS_ONE = 1, SIGNAL_PIPE = 13,
};

enum descriptor_kind { CLOSED, OUTSIDE, PIPE_READ, PIPE_WRITE, PAIR /* of socketpair */, EVENT, INTERESTS /* of epoll_create */ };

/* The bytes of one write that are not yet read. */
struct pipe_chunk {
    struct pipe_chunk *next;
    __selvedge_size start, end;
    unsigned char bytes[];
};

struct pipe_buffer {
    unsigned short length;
    unsigned char readers, writers;
    struct pipe_chunk *first;
};

struct descriptor {
    unsigned char kind;
    _Bool not_blocking;
    _Bool counts_one; /* a semaphore of eventfd */
    _Bool has_news;   /* something has happened since epoll_wait told of it */
    union {
        struct pipe_buffer *pipe;
        struct interest *interests; /* of epoll_ctl */
    };
    union {
        unsigned long long count;  /* of an event counter */
        struct pipe_buffer *other; /* to which a socket of a pair writes; it reads from `pipe` */
    };
};

static struct descriptor selvedge_descriptors[DESCRIPTORS];
/* Set when epoll_ctl is first asked for edges, and when epoll is first used; both are called inside an atomic section. */
static void (*selvedge_note_news)(const struct descriptor *d);
static void (*selvedge_forget_file)(int file);

static int file_failed(int error) {
    selvedge_errno = error;
    return -1;
}

/* Null if it is not open; the first three always are. To be called inside an atomic section. */
static struct descriptor *descriptor_of(int file) {
    if (file < FIRST_DESCRIPTOR || file >= DESCRIPTORS || selvedge_descriptors[file].kind == CLOSED)
        return SELVEDGE_NULL;
    return &selvedge_descriptors[file];
}

static int new_descriptor(enum descriptor_kind kind, int flags) {
    for (int file = FIRST_DESCRIPTOR; file < DESCRIPTORS; file++) {
        struct descriptor *d = &selvedge_descriptors[file];
        if (d->kind == CLOSED) {
            d->kind = (unsigned char)kind;
            d->not_blocking = (flags & NOT_BLOCKING) != 0;
            return file;
        }
    }
    return -1;
}

static void drop_chunk(struct pipe_buffer *pipe) {
    struct pipe_chunk *chunk = pipe->first;
    pipe->first = chunk->next;
    __selvedge_free(chunk);
}

static void fill_pipe(struct pipe_buffer *pipe, const void *data, __selvedge_size size) {
    struct pipe_chunk *chunk = __selvedge_alloc(sizeof *chunk + size, 8), **link = &pipe->first;
    chunk->next = SELVEDGE_NULL;
    chunk->start = 0;
    chunk->end = size;
    __builtin_memcpy(chunk->bytes, data, size);
    while (*link)
        link = &(*link)->next;
    *link = chunk;
    pipe->length += (unsigned short)size;
}

static __selvedge_size drain_pipe(struct pipe_buffer *pipe, unsigned char *to, __selvedge_size size) {
    __selvedge_size done = 0;
    while (done < size && pipe->first) {
        struct pipe_chunk *chunk = pipe->first;
        __selvedge_size there = chunk->end - chunk->start, taken = size - done < there ? size - done : there;
        __builtin_memcpy(to + done, chunk->bytes + chunk->start, taken);
        done += taken;
        if (taken == there)
            drop_chunk(pipe);
        else
            chunk->start += taken;
    }
    pipe->length -= (unsigned short)done;
    return done;
}

static struct pipe_buffer *new_pipe(void) {
    struct pipe_buffer *buffer = __selvedge_alloc(sizeof *buffer, 8);
    buffer->length = 0;
    buffer->first = SELVEDGE_NULL;
    buffer->readers = buffer->writers = 1;
    return buffer;
}

/* The pipe that a descriptor reads from, and the one that it writes to; null for all others. */
static struct pipe_buffer *reads_from(const struct descriptor *d) { return d->kind == PIPE_READ || d->kind == PAIR ? d->pipe : SELVEDGE_NULL; }
static struct pipe_buffer *writes_to(const struct descriptor *d) {
    return d->kind == PIPE_WRITE ? d->pipe : d->kind == PAIR ? d->other : SELVEDGE_NULL;
}

/* Two descriptors, each of which is one end of what the other one is the other end of. */
static int make_ends(int *ends, enum descriptor_kind first, enum descriptor_kind second, int flags) {
    __selvedge_check_write(ends, 2 * sizeof *ends);
    __selvedge_atomic_begin();
    int from = new_descriptor(first, flags), to = new_descriptor(second, flags);
    if (to < 0)
        __selvedge_unsupported("more than 32 file descriptors");
    struct descriptor *reader = &selvedge_descriptors[from], *writer = &selvedge_descriptors[to];
    reader->pipe = writer->pipe = new_pipe();
    if (first == PAIR)
        reader->other = writer->pipe = new_pipe(), writer->other = reader->pipe;
    ends[0] = from;
    ends[1] = to;
    __selvedge_atomic_end();
    return 0;
}

int pipe(int *ends) { return make_ends(ends, PIPE_READ, PIPE_WRITE, 0); }
int pipe2(int *ends, int flags) { return make_ends(ends, PIPE_READ, PIPE_WRITE, flags); }

int eventfd(unsigned value, int flags) {
    __selvedge_atomic_begin();
    int file = new_descriptor(EVENT, flags);
    if (file < 0)
        __selvedge_unsupported("more than 32 file descriptors");
    selvedge_descriptors[file].count = value;
    selvedge_descriptors[file].counts_one = flags & COUNTS_ONE;
    __selvedge_atomic_end();
    return file;
}

static int open_outside(void) {
    if (__selvedge_nondet_bool())
        return file_failed(E_NOENT);
    __selvedge_atomic_begin();
    int file = new_descriptor(OUTSIDE, 0);
    if (file < 0)
        __selvedge_unsupported("more than 32 file descriptors");
    __selvedge_atomic_end();
    return file;
}

int open(const char *path, int flags, ...) { (void)path, (void)flags; return open_outside(); }
int open64(const char *path, int flags, ...) { (void)path, (void)flags; return open_outside(); }
int creat(const char *path, unsigned mode) { (void)path, (void)mode; return open_outside(); }

/* Gives up one end of a pipe, whose other end may be waited for. */
static void leave_pipe(struct descriptor *d, struct pipe_buffer *pipe, _Bool was_reader) {
    pipe->readers -= was_reader;
    pipe->writers -= !was_reader;
    if (!pipe->readers && !pipe->writers) {
        while (pipe->first)
            drop_chunk(pipe);
        __selvedge_free(pipe);
    } else if (selvedge_note_news) {
        selvedge_note_news(d);
    }
}

static int close_descriptor(int file) {
    cancellation_point();
    int error = 0;
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(file);
    if (!d && (file < 0 || file >= FIRST_DESCRIPTOR)) {
        error = E_BADF;
    } else if (d) {
        if (reads_from(d))
            leave_pipe(d, reads_from(d), 1);
        if (writes_to(d))
            leave_pipe(d, writes_to(d), 0);
        if (selvedge_forget_file)
            selvedge_forget_file(file);
        __builtin_memset(d, 0, sizeof *d);
    }
    __selvedge_atomic_end();
    if (!error && FAILS(files))
        error = E_IO;
    return error ? file_failed(error) : 0;
}

int close(int file) { return close_descriptor(file); }

static int set_blocking(int file, int flags) {
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(file);
    int error = !d && (file < 0 || file >= FIRST_DESCRIPTOR) ? E_BADF : 0;
    if (d)
        d->not_blocking = (flags & NOT_BLOCKING) != 0;
    __selvedge_atomic_end();
    return error ? file_failed(error) : 0;
}

static int file_control(int file, int command, __builtin_va_list args) {
    enum { GET_FLAGS = 3, SET_FLAGS = 4 };
    if (command == SET_FLAGS)
        return set_blocking(file, __builtin_va_arg(args, int));
    if (command != GET_FLAGS)
        return 0;
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(file);
    int flags = d && d->not_blocking ? NOT_BLOCKING : 0;
    __selvedge_atomic_end();
    return flags;
}

#define SELVEDGE_FCNTL(name)                               \
    int name(int file, int command, ...) {                 \
        __builtin_va_list args;                            \
        __builtin_va_start(args, command);                 \
        int result = file_control(file, command, args);    \
        __builtin_va_end(args);                            \
        return result;                                     \
    }
SELVEDGE_FCNTL(fcntl)
SELVEDGE_FCNTL(fcntl64)

/* ---- reading and writing ---- */

/* The conditions under which a call does not block. */
static _Bool may_read(const struct descriptor *d) {
    const struct pipe_buffer *pipe = reads_from(d);
    return pipe ? pipe->length || !pipe->writers : d->kind == EVENT ? d->count > 0 : 1;
}

static _Bool may_write(const struct descriptor *d, __selvedge_size size) {
    /* Up to a page, writing is all or nothing. */
    const struct pipe_buffer *pipe = writes_to(d);
    __selvedge_size room = pipe ? PIPE_BYTES - pipe->length : 0;
    return pipe ? !pipe->readers || room >= (size < PIPE_BYTES ? size : 1) : 1;
}

enum { DONE, INTERRUPTED, FAILED };

/* Waits inside an atomic section until the descriptor is ready, or a signal comes: what happened. */
static int await_ready(const struct descriptor *d, _Bool ready, int *error) {
    _Bool interrupted = !ready && selvedge_signal_waits && selvedge_signal_waits();
    if (!ready && d->not_blocking) {
        *error = E_AGAIN;
        return FAILED;
    }
    __selvedge_block_until(ready || interrupted);
    return interrupted ? INTERRUPTED : DONE;
}

static int read_once(int file, void *to, __selvedge_size size, long *result) {
    int error = 0, outcome;
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(file);
    if (!d || d->kind == PIPE_WRITE || d->kind == INTERESTS || (d->kind == EVENT && size < 8)) {
        error = d && d->kind != PIPE_WRITE ? E_INVAL : E_BADF;
        outcome = FAILED;
    } else {
        outcome = await_ready(d, may_read(d), &error);
    }
    if (outcome == DONE && reads_from(d)) {
        *result = (long)drain_pipe(reads_from(d), to, size);
    } else if (outcome == DONE && d->kind == EVENT) {
        unsigned long long value = d->counts_one ? 1 : d->count;
        d->count -= value;
        __builtin_memcpy(to, &value, 8);
        *result = 8;
    } else if (outcome == DONE) {
        *result = (long)__selvedge_nondet_range(0, LONGEST_INPUT((__selvedge_size)size));
        fill_with_anything(to, (__selvedge_size)*result);
    }
    if (outcome == DONE && selvedge_note_news)
        selvedge_note_news(d);
    __selvedge_atomic_end();
    if (outcome == FAILED)
        *result = file_failed(error);
    return outcome;
}

static long read_descriptor(int file, void *to, __selvedge_size size) {
    cancellation_point();
    __selvedge_check_write(to, size);
    if (file >= 0 && file < FIRST_DESCRIPTOR) {
        long length = (long)__selvedge_nondet_range(0, LONGEST_INPUT((__selvedge_size)size));
        fill_with_anything(to, (__selvedge_size)length);
        return length;
    }
    long result = 0;
    while (read_once(file, to, size, &result) == INTERRUPTED)
        if (!selvedge_handle_waiting())
            return file_failed(E_INTR);
    return result;
}

long read(int file, void *to, __selvedge_size size) { return read_descriptor(file, to, size); }

static int write_once(int file, const void *data, __selvedge_size size, long *result, _Bool *broken) {
    int error = 0, outcome;
    __selvedge_atomic_begin();
    struct descriptor *d = descriptor_of(file);
    if (!d || d->kind == PIPE_READ || d->kind == INTERESTS || (d->kind == EVENT && size < 8)) {
        error = d && d->kind != PIPE_READ ? E_INVAL : E_BADF;
        outcome = FAILED;
    } else {
        outcome = await_ready(d, may_write(d, size), &error);
    }
    if (outcome == DONE && writes_to(d)) {
        struct pipe_buffer *pipe = writes_to(d);
        if (!pipe->readers) {
            *broken = 1;
            error = E_PIPE;
            outcome = FAILED;
        } else {
            /* Up to a page there is room for all of it. */
            __selvedge_size room = PIPE_BYTES - (__selvedge_size)pipe->length;
            __selvedge_size written = size < PIPE_BYTES ? size : room;
            if (written)
                fill_pipe(pipe, data, written);
            *result = (long)written;
        }
    } else if (outcome == DONE && d->kind == EVENT) {
        unsigned long long value;
        __builtin_memcpy(&value, data, 8);
        d->count += value;
        *result = 8;
    } else if (outcome == DONE && FAILS(files)) {
        error = E_IO;
        outcome = FAILED;
    } else if (outcome == DONE) {
        *result = (long)size;
    }
    if (outcome == DONE && selvedge_note_news)
        selvedge_note_news(d);
    __selvedge_atomic_end();
    if (outcome == FAILED)
        *result = file_failed(error);
    return outcome;
}

static long write_descriptor(int file, const void *data, __selvedge_size size) {
    cancellation_point();
    __selvedge_check_read(data, size);
    if (file >= 0 && file < FIRST_DESCRIPTOR)
        return (long)size;
    long result = 0;
    _Bool broken = 0;
    while (write_once(file, data, size, &result, &broken) == INTERRUPTED)
        if (!selvedge_handle_waiting())
            return file_failed(E_INTR);
    /* The default is to end the process. */
    if (broken && !selvedge_raise)
        __selvedge_process_exit();
    if (broken)
        selvedge_raise(SIGNAL_PIPE);
    return result;
}

long write(int file, const void *data, __selvedge_size size) { return write_descriptor(file, data, size); }

/* Several pieces are read, and written, as one (POSIX, readv and writev). */
struct selvedge_piece {
    void *start;
    __selvedge_size size;
};

static __selvedge_size size_of_pieces(const struct selvedge_piece *pieces, int count) {
    __selvedge_size size = 0;
    for (int i = 0; i < count; i++)
        size += pieces[i].size;
    return size;
}

long readv(int file, const struct selvedge_piece *pieces, int count) {
    if (count <= 0)
        return file_failed(E_INVAL);
    __selvedge_size size = size_of_pieces(pieces, count), done = 0;
    char *whole = __selvedge_alloc(size, 1);
    long result = read_descriptor(file, whole, size);
    for (int i = 0; result > 0 && done < (__selvedge_size)result; i++) {
        __selvedge_size left = (__selvedge_size)result - done, taken = pieces[i].size < left ? pieces[i].size : left;
        __builtin_memcpy(pieces[i].start, whole + done, taken);
        done += taken;
    }
    __selvedge_free(whole);
    return result;
}

long writev(int file, const struct selvedge_piece *pieces, int count) {
    if (count <= 0)
        return file_failed(E_INVAL);
    __selvedge_size size = size_of_pieces(pieces, count), done = 0;
    char *whole = __selvedge_alloc(size, 1);
    for (int i = 0; i < count; i++) {
        __builtin_memcpy(whole + done, pieces[i].start, pieces[i].size);
        done += pieces[i].size;
    }
    long result = write_descriptor(file, whole, size);
    __selvedge_free(whole);
    return result;
}

/* Timers may expire at any moment: what is read from them is as open as what comes from outside. */
int timerfd_create(int clock, int flags) {
    (void)clock;
    __selvedge_atomic_begin();
    int file = new_descriptor(OUTSIDE, flags);
    __selvedge_atomic_end();
    return file;
}

int timerfd_settime(int file, int flags, const void *value, void *old) { (void)file, (void)flags, (void)value, (void)old; return 0; }

int dup(int file) { (void)file; __selvedge_unsupported("dup"); }
int dup2(int file, int other) { (void)file, (void)other; __selvedge_unsupported("dup2"); }
int fsync(int file) { (void)file; return FAILS(files) ? file_failed(E_IO) : 0; }
int fdatasync(int file) { (void)file; return FAILS(files) ? file_failed(E_IO) : 0; }
int unlink(const char *path) { (void)path; return FAILS(files) ? file_failed(E_NOENT) : 0; }

/* ---- the order of bytes in a network; ours is the other one ---- */

unsigned short htons(unsigned short host) { return __builtin_bswap16(host); }
unsigned short ntohs(unsigned short net) { return __builtin_bswap16(net); }
unsigned htonl(unsigned host) { return __builtin_bswap32(host); }
unsigned ntohl(unsigned net) { return __builtin_bswap32(net); }

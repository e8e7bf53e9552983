/* Streams in memory: open_memstream and fmemopen (POSIX.1-2017). They keep what is written to them, and give it back.
 *
 * The buffer of open_memstream moves whenever more is written, so that a pointer which was told earlier is found to be
 * stale, and the program learns of it by fflush and fclose only. What is written to the buffer of fmemopen is there at once.
 * Each operation is one step, for streams have locks. */
#include "internal.h"
#include "memory.c"
#include "string.c"

/* The number of a standard stream, or the kind of another one. */
enum stream_kind { OPENED = 3, IN_MEMORY = 4 };

struct stream {
    char kind;
    struct selvedge_mutex lock; /* recursive; of flockfile (stream_locks.c) */
};

struct memory_stream {
    struct stream stream;
    _Bool at_end, may_read, may_write, appends;
    _Bool is_own; /* the buffer ends with the stream */
    char *bytes;
    __selvedge_size length, room, position;
    /* Where open_memstream tells of its buffer; null for fmemopen, whose buffer has a fixed size. */
    char **told_bytes;
    __selvedge_size *told_length;
};

extern int __selvedge_reached_open_memstream, __selvedge_reached_fmemopen;
int __selvedge_reached_open_memstream = 0, __selvedge_reached_fmemopen = 0;

/* Null unless the stream is one of ours. */
static struct memory_stream *in_memory(void *stream) {
    if (!__selvedge_reached_open_memstream && !__selvedge_reached_fmemopen)
        return SELVEDGE_NULL;
    return *(char *)stream == IN_MEMORY ? stream : SELVEDGE_NULL;
}

static struct memory_stream *new_memory_stream(void) {
    struct memory_stream *s = __selvedge_alloc(sizeof *s, 8);
    __builtin_memset(s, 0, sizeof *s);
    s->stream.kind = IN_MEMORY;
    s->stream.lock.kind = MUTEX_RECURSIVE;
    return s;
}

static void tell_of_buffer(struct memory_stream *s) {
    if (s->told_bytes) {
        *s->told_bytes = s->bytes;
        *s->told_length = s->position < s->length ? s->position : s->length;
    }
}

void *open_memstream(char **bytes, __selvedge_size *length) {
    char *buffer = allocate(1, HEAP_ALIGN);
    if (!buffer)
        return SELVEDGE_NULL;
    struct memory_stream *s = new_memory_stream();
    *buffer = 0;
    s->may_write = 1;
    s->bytes = buffer;
    s->told_bytes = bytes;
    s->told_length = length;
    return s;
}

void *fmemopen(void *buffer, __selvedge_size size, const char *mode) {
    char *own = buffer ? SELVEDGE_NULL : allocate(size, HEAP_ALIGN);
    if (!buffer && !own)
        return SELVEDGE_NULL;
    struct memory_stream *s = new_memory_stream();
    _Bool updates = mode[1] == '+' || (mode[1] && mode[2] == '+');
    s->may_read = *mode == 'r' || updates;
    s->may_write = *mode != 'r' || updates;
    s->appends = *mode == 'a';
    s->is_own = own != SELVEDGE_NULL;
    s->bytes = own ? own : buffer;
    s->room = size;
    if (own)
        __builtin_memset(own, 0, size);
    if (*mode == 'r')
        s->length = size;
    else if (*mode == 'a')
        s->length = s->position = length_within(s->bytes, size);
    else if (size)
        s->bytes[0] = 0;
    return s;
}

/* A larger buffer, elsewhere, with zeros behind what was there. */
static void move_buffer(struct memory_stream *s, __selvedge_size length) {
    char *bytes = __selvedge_alloc(length + 1, HEAP_ALIGN);
    __builtin_memcpy(bytes, s->bytes, s->length);
    __builtin_memset(bytes + s->length, 0, length + 1 - s->length);
    __selvedge_free(s->bytes);
    s->bytes = bytes;
}

/* How many bytes there was room for. */
static __selvedge_size keep_bytes(struct memory_stream *s, const char *data, __selvedge_size size) {
    if (!s->may_write) {
        selvedge_errno = E_BADF;
        return 0;
    }
    __selvedge_check_read(data, size);
    __selvedge_atomic_begin();
    __selvedge_size at = s->appends ? s->length : s->position;
    if (!s->told_bytes && at + size > s->room) {
        size = at < s->room ? s->room - at : 0;
        selvedge_errno = E_NOSPC;
    }
    __selvedge_size end = at + size;
    if (s->told_bytes && size && end > s->length)
        move_buffer(s, end);
    __builtin_memcpy(s->bytes + at, data, size);
    if (end > s->length && size) {
        s->length = end;
        if (!s->told_bytes && end < s->room)
            s->bytes[end] = 0;
    }
    s->position = end;
    __selvedge_atomic_end();
    return size;
}

static int keep_character(struct memory_stream *s, int c) {
    char byte = (char)c;
    return keep_bytes(s, &byte, 1) ? (unsigned char)c : -1;
}

/* The next character, or -1 at the end. */
static int next_kept(struct memory_stream *s) {
    __selvedge_atomic_begin();
    int c = -1;
    if (!s->may_read)
        selvedge_errno = E_BADF;
    else if (s->position < s->length)
        c = (unsigned char)s->bytes[s->position++];
    else
        s->at_end = 1;
    __selvedge_atomic_end();
    return c;
}

static int put_back(struct memory_stream *s, int c) {
    if (c == -1 || !s->position)
        return -1;
    s->position--;
    s->at_end = 0;
    return (unsigned char)c;
}

/* Up to `most` characters, or through the character `last`: how many there are. */
static __selvedge_size kept_until(struct memory_stream *s, char *to, __selvedge_size most, int last) {
    __selvedge_size count = 0;
    while (count < most) {
        int c = next_kept(s);
        if (c < 0)
            break;
        to[count++] = (char)c;
        if (c == last)
            break;
    }
    return count;
}

enum { FROM_START = 0, FROM_HERE = 1, FROM_END = 2 };

static int move_in_memory(struct memory_stream *s, long offset, int whence) {
    long from = whence == FROM_START ? 0 : (long)(whence == FROM_HERE ? s->position : s->length);
    long position = from + offset;
    if (whence < 0 || whence > FROM_END || position < 0 || (!s->told_bytes && (__selvedge_size)position > s->room)) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    s->position = (__selvedge_size)position;
    s->at_end = 0;
    return 0;
}

static void close_in_memory(struct memory_stream *s) {
    tell_of_buffer(s);
    if (s->is_own)
        __selvedge_free(s->bytes);
    __selvedge_free(s);
}

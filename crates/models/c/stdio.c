/* <stdio.h>.
 *
 * Output goes nowhere and succeeds, unless --may-fail files was given. What an output function reads is read: the front end
 * calls __selvedge_reads_text for the texts that are no literals, and names the functions __selvedge_full_… where the program
 * looks at the number of characters, or the format is not a literal (see from_llvm/src/lower/printing.rs).
 * Text in memory is made in format.c and read in scan.c.
 * Input is arbitrary: any characters, lines of any length up to what fits (119 bytes for getline), blocks of any
 * number of items, and any read may meet the end of the file; none is longer than --longest-input says. Opening a file may
 * fail or not. An open stream is an object of the heap, so that it is a misuse of memory to use none, or one that is closed.
 * Streams in memory keep what is written (streams.c), and so do the functions here where a stream is one.
 */
#include "internal.h"
#include "format.c"
#include "memory.c"
#include "streams.c"
#include "threads.c"

static struct stream selvedge_streams[3] = {
    {0, {.kind = MUTEX_RECURSIVE}}, {1, {.kind = MUTEX_RECURSIVE}}, {2, {.kind = MUTEX_RECURSIVE}}};
void *stdin = &selvedge_streams[0];
void *stdout = &selvedge_streams[1];
void *stderr = &selvedge_streams[2];

/* ---- output ---- */

#define WRITTEN(result) (FAILS(files) ? -1 : (result))

/* Texts that the caller's function reads, up to a NUL or `most` characters. */
void __selvedge_reads_text(const char *s, __selvedge_size most) {
    for (__selvedge_size i = 0; i < most && s[i]; i++)
        ;
}

/* The argument of a %s, which may be null in glibc. */
void __selvedge_prints_text(const char *s, long most) {
    if (s)
        for (long i = 0; (most < 0 || i < most) && s[i]; i++)
            ;
}

/* Text that goes to a stream in memory. */
static int print_in_memory(struct memory_stream *s, const char *format, __builtin_va_list args) {
    char *text;
    int length = allocate_text(&text, format, args);
    if (length < 0)
        return -1;
    length = keep_bytes(s, text, (__selvedge_size)length) == (__selvedge_size)length ? length : -1;
    __selvedge_free(text);
    return length;
}

static _Bool keep_text(void *stream, const char *s) {
    struct memory_stream *memory = in_memory(stream);
    if (memory)
        keep_bytes(memory, s, text_length(s));
    return memory != SELVEDGE_NULL;
}

/* The beginning of a function with a format and its arguments: done with, if the stream is one in memory. */
#define STREAM_TEXT                                                             \
    MAY_BE_CANCELLED();                                                         \
    use_stream(stream);                                                         \
    if (in_memory(stream)) {                                                    \
        __builtin_va_list list;                                                 \
        __builtin_va_start(list, format);                                       \
        int printed = print_in_memory(in_memory(stream), format, list);         \
        __builtin_va_end(list);                                                 \
        return printed;                                                         \
    }

static int print_list(void *stream, const char *format, __builtin_va_list args) {
    MAY_BE_CANCELLED();
    use_stream(stream);
    if (in_memory(stream))
        return print_in_memory(in_memory(stream), format, args);
    read_arguments(format, args);
    return WRITTEN(0);
}

static int put_character(int c, void *stream) {
    use_stream(stream);
    return in_memory(stream) ? keep_character(in_memory(stream), c) : WRITTEN((unsigned char)c);
}

#define PRINTED(what)          \
    do {                       \
        MAY_BE_CANCELLED();    \
        what;                  \
        return WRITTEN(0);     \
    } while (0)

int printf(const char *format, ...) { PRINTED((void)format); }
int fprintf(void *stream, const char *format, ...) { STREAM_TEXT; return WRITTEN(0); }
int dprintf(int file, const char *format, ...) { PRINTED(((void)file, (void)format)); }
int vprintf(const char *format, __builtin_va_list args) { PRINTED(read_arguments(format, args)); }
int vfprintf(void *stream, const char *format, __builtin_va_list args) { return print_list(stream, format, args); }
int vdprintf(int file, const char *format, __builtin_va_list args) { PRINTED(((void)file, read_arguments(format, args))); }
int puts(const char *s) { PRINTED((void)s); }
int fputs(const char *s, void *stream) { PRINTED((use_stream(stream), keep_text(stream, s))); }
int putchar(int c) { MAY_BE_CANCELLED(); return WRITTEN((unsigned char)c); }
int putc(int c, void *stream) { MAY_BE_CANCELLED(); return put_character(c, stream); }
int fputc(int c, void *stream) { MAY_BE_CANCELLED(); return put_character(c, stream); }

int fflush(void *stream) {
    MAY_BE_CANCELLED();
    if (stream)
        use_stream(stream);
    if (stream && in_memory(stream))
        tell_of_buffer(in_memory(stream));
    return WRITTEN(0);
}

/* The same functions where somebody looks at the number of characters, or the format is not known before. */
int __selvedge_full_vprintf(const char *format, __builtin_va_list args) {
    MAY_BE_CANCELLED();
    return WRITTEN(format_text(SELVEDGE_NULL, 0, format, args));
}

int __selvedge_full_vfprintf(void *stream, const char *format, __builtin_va_list args) {
    use_stream(stream);
    MAY_BE_CANCELLED();
    if (in_memory(stream))
        return print_in_memory(in_memory(stream), format, args);
    return WRITTEN(format_text(SELVEDGE_NULL, 0, format, args));
}

int __selvedge_full_vdprintf(int file, const char *format, __builtin_va_list args) {
    (void)file;
    MAY_BE_CANCELLED();
    return WRITTEN(format_text(SELVEDGE_NULL, 0, format, args));
}

#define FULL_TEXT                                                \
    int length;                                                  \
    __builtin_va_list args;                                      \
    MAY_BE_CANCELLED();                                          \
    __builtin_va_start(args, format);                            \
    length = format_text(SELVEDGE_NULL, 0, format, args);        \
    __builtin_va_end(args);                                      \
    return WRITTEN(length)

int __selvedge_full_printf(const char *format, ...) { FULL_TEXT; }
int __selvedge_full_fprintf(void *stream, const char *format, ...) { STREAM_TEXT; FULL_TEXT; }
int __selvedge_full_dprintf(int file, const char *format, ...) { (void)file; FULL_TEXT; }
int setvbuf(void *stream, char *buffer, int mode, __selvedge_size size) { use_stream(stream); (void)buffer, (void)mode, (void)size; return 0; }
void setbuf(void *stream, char *buffer) { use_stream(stream); (void)buffer; }
void setlinebuf(void *stream) { use_stream(stream); }
int putchar_unlocked(int c) { return WRITTEN((unsigned char)c); }
int putc_unlocked(int c, void *stream) { return put_character(c, stream); }
int fputc_unlocked(int c, void *stream) { return put_character(c, stream); }
int fputs_unlocked(const char *s, void *stream) { use_stream(stream); keep_text(stream, s); return WRITTEN(0); }
int wprintf(const int *format, ...) { (void)format; return WRITTEN(0); }
__selvedge_size fwrite(const void *data, __selvedge_size size, __selvedge_size count, void *stream) {
    MAY_BE_CANCELLED();
    use_stream(stream);
    if (in_memory(stream))
        return size ? keep_bytes(in_memory(stream), data, size * count) / size : 0;
    __selvedge_check_read(data, size * count);
    return FAILS(files) ? (__selvedge_size)__selvedge_nondet_range(0, count ? count - 1 : 0) : count;
}

/* ---- input ---- */

/* The end of the file, or any character. */
#define ANY_INPUT ((int)__selvedge_nondet_range(0, 256) - 1)

int getchar(void) { MAY_BE_CANCELLED(); return ANY_INPUT; }
static int get_character(void *stream) {
    use_stream(stream);
    return in_memory(stream) ? next_kept(in_memory(stream)) : ANY_INPUT;
}

int getc(void *stream) { MAY_BE_CANCELLED(); return get_character(stream); }
int fgetc(void *stream) { MAY_BE_CANCELLED(); return get_character(stream); }
int getchar_unlocked(void) { return ANY_INPUT; }
int getc_unlocked(void *stream) { return get_character(stream); }
int fgetc_unlocked(void *stream) { return get_character(stream); }

int ungetc(int c, void *stream) {
    use_stream(stream);
    return in_memory(stream) ? put_back(in_memory(stream), c) : c;
}

/* A line of any length that fits: its characters are what the memory happens to hold, but no NUL, and the last one may be a
 * newline. */
static __selvedge_size read_line(char *to, __selvedge_size longest) {
    longest = LONGEST_INPUT(longest);
    __selvedge_size length = (__selvedge_size)__selvedge_nondet_range(1, longest);
    for (__selvedge_size i = 0; i + 1 < length; i++)
        to[i] = (char)__selvedge_nondet_range(1, 255);
    to[length - 1] = length == longest ? (char)__selvedge_nondet_range(1, 255) : '\n';
    to[length] = 0;
    return length;
}

static char *read_some_line(char *to, int size, void *stream) {
    MAY_BE_CANCELLED();
    use_stream(stream);
    if (size <= 0)
        return SELVEDGE_NULL;
    __selvedge_check_write(to, (__selvedge_size)size);
    if (in_memory(stream)) {
        __selvedge_size length = kept_until(in_memory(stream), to, (__selvedge_size)size - 1, '\n');
        to[length] = 0;
        return length || size == 1 ? to : SELVEDGE_NULL;
    }
    if (__selvedge_nondet_bool())
        return SELVEDGE_NULL;
    if (size > 1)
        read_line(to, (__selvedge_size)size - 1);
    else
        to[0] = 0;
    return to;
}

char *fgets(char *to, int size, void *stream) { return read_some_line(to, size, stream); }
char *fgets_unlocked(char *to, int size, void *stream) { return read_some_line(to, size, stream); }

/* Longer lines would only need more memory. */
enum { LONGEST_LINE = 119 };

static long read_whole_line(char **to, __selvedge_size *room, int end, void *stream) {
    use_stream(stream);
    if (!to || !room) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    struct memory_stream *memory = in_memory(stream);
    __selvedge_size longest = memory && memory->length > LONGEST_LINE ? memory->length : LONGEST_LINE;
    if (!*to || *room < longest + 1) {
        *to = reallocate(*to, longest + 1);
        *room = longest + 1;
    }
    if (*to && memory) {
        __selvedge_size length = kept_until(memory, *to, longest, end);
        (*to)[length] = 0;
        return length ? (long)length : -1;
    }
    if (!*to || __selvedge_nondet_bool())
        return -1;
    return (long)read_line(*to, LONGEST_LINE);
}

long getline(char **to, __selvedge_size *room, void *stream) { return read_whole_line(to, room, '\n', stream); }
long getdelim(char **to, __selvedge_size *room, int end, void *stream) { return read_whole_line(to, room, end, stream); }
long __getdelim(char **to, __selvedge_size *room, int end, void *stream) { return read_whole_line(to, room, end, stream); }

/* Any number of items, with any contents. */
static __selvedge_size read_items(void *to, __selvedge_size size, __selvedge_size count, void *stream) {
    MAY_BE_CANCELLED();
    use_stream(stream);
    __selvedge_check_write(to, size * count);
    if (!size || !count)
        return 0;
    if (in_memory(stream))
        return kept_until(in_memory(stream), to, size * count, -1) / size;
    __selvedge_size items = (__selvedge_size)__selvedge_nondet_range(0, LONGEST_INPUT(count));
    fill_with_anything(to, items * size);
    return items;
}

__selvedge_size fread(void *to, __selvedge_size size, __selvedge_size count, void *stream) { return read_items(to, size, count, stream); }
__selvedge_size fread_unlocked(void *to, __selvedge_size size, __selvedge_size count, void *stream) { return read_items(to, size, count, stream); }
int getw(void *stream) { use_stream(stream); return __selvedge_nondet_int(); }

/* ---- files ---- */

static void *opened_stream(void) {
    struct stream *stream = __selvedge_alloc(sizeof *stream, 8);
    __builtin_memset(stream, 0, sizeof *stream);
    stream->kind = OPENED;
    stream->lock.kind = MUTEX_RECURSIVE;
    return stream;
}

static void *open_anything(void) {
    MAY_BE_CANCELLED();
    if (__selvedge_nondet_bool())
        return opened_stream();
    selvedge_errno = E_NOENT;
    return SELVEDGE_NULL;
}

void *fopen(const char *path, const char *mode) { (void)path, (void)mode; return open_anything(); }
void *fdopen(int file, const char *mode) { (void)file, (void)mode; return opened_stream(); }
void *freopen(const char *path, const char *mode, void *stream) { (void)path, (void)mode; return stream; }

/* What another program prints, or reads. */
void *popen(const char *command, const char *mode) { (void)command, (void)mode; return open_anything(); }

int fileno(void *stream) {
    use_stream(stream);
    if (!in_memory(stream))
        return *(char *)stream;
    selvedge_errno = E_BADF;
    return -1;
}

static int move_stream(void *stream, long offset, int whence) {
    use_stream(stream);
    return in_memory(stream) ? move_in_memory(in_memory(stream), offset, whence) : WRITTEN(0);
}

static long place_in_stream(void *stream) {
    use_stream(stream);
    return in_memory(stream) ? (long)in_memory(stream)->position : (long)__selvedge_nondet_range(0, 0x7FFFFFFF);
}

int fseek(void *stream, long offset, int whence) { return move_stream(stream, offset, whence); }
int fseeko(void *stream, long offset, int whence) { return move_stream(stream, offset, whence); }
long ftello(void *stream) { return place_in_stream(stream); }
void rewind(void *stream) { move_stream(stream, 0, FROM_START); }
long ftell(void *stream) { return place_in_stream(stream); }

static void close_stream(void *stream) {
    MAY_BE_CANCELLED();
    use_stream(stream);
    if (in_memory(stream))
        close_in_memory(in_memory(stream));
    else if (*(char *)stream == OPENED)
        __selvedge_free(stream);
}

int fclose(void *stream) { close_stream(stream); return WRITTEN(0); }

/* The other program's status, as waitpid has it. */
int pclose(void *stream) {
    close_stream(stream);
    return (int)__selvedge_nondet_range(0, 255) << 8;
}

int feof(void *stream) { use_stream(stream); return in_memory(stream) ? in_memory(stream)->at_end : __selvedge_nondet_bool(); }
int ferror(void *stream) { use_stream(stream); return in_memory(stream) ? 0 : __selvedge_nondet_bool(); }

void clearerr(void *stream) {
    use_stream(stream);
    if (in_memory(stream))
        in_memory(stream)->at_end = 0;
}
int remove(const char *path) { (void)path; return WRITTEN(0); }

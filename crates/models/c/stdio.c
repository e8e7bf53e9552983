/* <stdio.h>.
 *
 * Output goes nowhere and succeeds, unless --may-fail files was given; printf and its like return 0 and do not read their
 * arguments.
 * Text in memory is made in format.c and read in scan.c.
 * Input is arbitrary: any characters, lines of any length up to what fits (119 bytes for getline), blocks of any
 * number of items, and any read may meet the end of the file; none is longer than --longest-input says. Opening a file may
 * fail or not. An open stream is an object of the heap, so that it is a misuse of memory to use none, or one that is closed.
 */
#include "internal.h"
#include "memory.c"

static char selvedge_streams[3] = {0, 1, 2};
void *stdin = &selvedge_streams[0];
void *stdout = &selvedge_streams[1];
void *stderr = &selvedge_streams[2];
enum { OPENED = 3 };

/* ---- output ---- */

#define WRITTEN(result) (FAILS(files) ? -1 : (result))

int printf(const char *format, ...) { (void)format; return WRITTEN(0); }
int vprintf(const char *format, __builtin_va_list args) { (void)format, (void)args; return WRITTEN(0); }
int fprintf(void *stream, const char *format, ...) { use_stream(stream); (void)format; return WRITTEN(0); }
int vfprintf(void *stream, const char *format, __builtin_va_list args) { use_stream(stream); (void)format, (void)args; return WRITTEN(0); }
int dprintf(int file, const char *format, ...) { (void)file, (void)format; return WRITTEN(0); }
int puts(const char *s) { (void)s; return WRITTEN(0); }
int fputs(const char *s, void *stream) { use_stream(stream); (void)s; return WRITTEN(0); }
int putchar(int c) { return WRITTEN((unsigned char)c); }
int putc(int c, void *stream) { use_stream(stream); return WRITTEN((unsigned char)c); }
int fputc(int c, void *stream) { use_stream(stream); return WRITTEN((unsigned char)c); }
int fflush(void *stream) { if (stream) use_stream(stream); return WRITTEN(0); }
int setvbuf(void *stream, char *buffer, int mode, __selvedge_size size) { use_stream(stream); (void)buffer, (void)mode, (void)size; return 0; }
void setbuf(void *stream, char *buffer) { use_stream(stream); (void)buffer; }
void setlinebuf(void *stream) { use_stream(stream); }
int putchar_unlocked(int c) { return WRITTEN((unsigned char)c); }
int putc_unlocked(int c, void *stream) { use_stream(stream); return WRITTEN((unsigned char)c); }
int fputs_unlocked(const char *s, void *stream) { use_stream(stream); (void)s; return WRITTEN(0); }
int vdprintf(int file, const char *format, __builtin_va_list args) { (void)file, (void)format, (void)args; return WRITTEN(0); }
void flockfile(void *stream) { use_stream(stream); }
void funlockfile(void *stream) { use_stream(stream); }
int wprintf(const int *format, ...) { (void)format; return WRITTEN(0); }
__selvedge_size fwrite(const void *data, __selvedge_size size, __selvedge_size count, void *stream) {
    use_stream(stream);
    __selvedge_check_read(data, size * count);
    return FAILS(files) ? (__selvedge_size)__selvedge_nondet_range(0, count ? count - 1 : 0) : count;
}

/* ---- input ---- */

/* The end of the file, or any character. */
#define ANY_INPUT ((int)__selvedge_nondet_range(0, 256) - 1)

int getchar(void) { return ANY_INPUT; }
int getc(void *stream) { use_stream(stream); return ANY_INPUT; }
int fgetc(void *stream) { use_stream(stream); return ANY_INPUT; }
int getchar_unlocked(void) { return ANY_INPUT; }
int getc_unlocked(void *stream) { use_stream(stream); return ANY_INPUT; }
int ungetc(int c, void *stream) { use_stream(stream); return c; }

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

char *fgets(char *to, int size, void *stream) {
    use_stream(stream);
    if (size <= 0)
        return SELVEDGE_NULL;
    __selvedge_check_write(to, (__selvedge_size)size);
    if (__selvedge_nondet_bool())
        return SELVEDGE_NULL;
    if (size > 1)
        read_line(to, (__selvedge_size)size - 1);
    else
        to[0] = 0;
    return to;
}

/* Longer lines would only need more memory. */
enum { LONGEST_LINE = 119 };

static long read_whole_line(char **to, __selvedge_size *room, void *stream) {
    use_stream(stream);
    if (!to || !room) {
        selvedge_errno = E_INVAL;
        return -1;
    }
    if (!*to || *room < LONGEST_LINE + 1) {
        *to = reallocate(*to, LONGEST_LINE + 1);
        *room = LONGEST_LINE + 1;
    }
    if (!*to || __selvedge_nondet_bool())
        return -1;
    return (long)read_line(*to, LONGEST_LINE);
}

long getline(char **to, __selvedge_size *room, void *stream) { return read_whole_line(to, room, stream); }
long getdelim(char **to, __selvedge_size *room, int end, void *stream) { (void)end; return read_whole_line(to, room, stream); }
long __getdelim(char **to, __selvedge_size *room, int end, void *stream) { (void)end; return read_whole_line(to, room, stream); }

/* Any number of items, with any contents. */
__selvedge_size fread(void *to, __selvedge_size size, __selvedge_size count, void *stream) {
    use_stream(stream);
    __selvedge_check_write(to, size * count);
    if (!size || !count)
        return 0;
    __selvedge_size items = (__selvedge_size)__selvedge_nondet_range(0, LONGEST_INPUT(count));
    fill_with_anything(to, items * size);
    return items;
}

/* ---- files ---- */

static void *opened_stream(void) {
    char *stream = __selvedge_alloc(1, 1);
    *stream = OPENED;
    return stream;
}

void *fopen(const char *path, const char *mode) {
    (void)path, (void)mode;
    if (__selvedge_nondet_bool())
        return opened_stream();
    selvedge_errno = E_NOENT;
    return SELVEDGE_NULL;
}

void *fdopen(int file, const char *mode) { (void)file, (void)mode; return opened_stream(); }
void *freopen(const char *path, const char *mode, void *stream) { (void)path, (void)mode; return stream; }
int fileno(void *stream) { use_stream(stream); return *(char *)stream; }
int fseek(void *stream, long offset, int whence) { use_stream(stream); (void)offset, (void)whence; return WRITTEN(0); }
int fseeko(void *stream, long offset, int whence) { use_stream(stream); (void)offset, (void)whence; return WRITTEN(0); }
long ftello(void *stream) { use_stream(stream); return (long)__selvedge_nondet_range(0, 0x7FFFFFFF); }
void rewind(void *stream) { use_stream(stream); }
long ftell(void *stream) { use_stream(stream); return (long)__selvedge_nondet_range(0, 0x7FFFFFFF); }
int fclose(void *stream) {
    use_stream(stream);
    if (*(char *)stream == OPENED)
        __selvedge_free(stream);
    return WRITTEN(0);
}
int feof(void *stream) { use_stream(stream); return __selvedge_nondet_bool(); }
int ferror(void *stream) { use_stream(stream); return __selvedge_nondet_bool(); }
void clearerr(void *stream) { use_stream(stream); }
int remove(const char *path) { (void)path; return WRITTEN(0); }

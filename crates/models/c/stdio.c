/* <stdio.h>.
 *
 * Output goes nowhere and always succeeds; printf and its like return 0 and do not read their arguments.
 * sprintf and snprintf write the text they would write, for integers, characters, strings and pointers
 * (a pointer's text is "0x1"); other conversions are a limit of ours, reported when reached.
 * Input is arbitrary: characters and the numbers of scanf are nondeterministic, and any read may meet the
 * end of the file. Opening a file may fail or not. Reading whole lines or blocks is not modelled.
 */
#include "internal.h"

static char selvedge_streams[3];
void *stdin = &selvedge_streams[0];
void *stdout = &selvedge_streams[1];
void *stderr = &selvedge_streams[2];

/* ---- output ---- */

int printf(const char *format, ...) { (void)format; return 0; }
int vprintf(const char *format, __builtin_va_list args) { (void)format, (void)args; return 0; }
int fprintf(void *stream, const char *format, ...) { (void)stream, (void)format; return 0; }
int vfprintf(void *stream, const char *format, __builtin_va_list args) { (void)stream, (void)format, (void)args; return 0; }
int dprintf(int file, const char *format, ...) { (void)file, (void)format; return 0; }
int puts(const char *s) { (void)s; return 0; }
int fputs(const char *s, void *stream) { (void)s, (void)stream; return 0; }
int putchar(int c) { return (unsigned char)c; }
int putc(int c, void *stream) { (void)stream; return (unsigned char)c; }
int fputc(int c, void *stream) { (void)stream; return (unsigned char)c; }
int fflush(void *stream) { (void)stream; return 0; }
void perror(const char *s) { (void)s; }
int setvbuf(void *stream, char *buffer, int mode, __selvedge_size size) { (void)stream, (void)buffer, (void)mode, (void)size; return 0; }
void setbuf(void *stream, char *buffer) { (void)stream, (void)buffer; }
void setlinebuf(void *stream) { (void)stream; }
int wprintf(const int *format, ...) { (void)format; return 0; }
__selvedge_size fwrite(const void *data, __selvedge_size size, __selvedge_size count, void *stream) {
    (void)stream;
    __selvedge_check_read(data, size * count);
    return count;
}

/* ---- text in memory ---- */

struct text_sink {
    char *to;
    __selvedge_size room; /* bytes of `to`, the final NUL included */
    __selvedge_size length;
};

static void put_text(struct text_sink *sink, char c) {
    if (sink->length + 1 < sink->room)
        sink->to[sink->length] = c;
    sink->length++;
}

static void put_padded(struct text_sink *sink, const char *text, int length, int width, _Bool left, char pad) {
    for (int i = length; i < width && !left; i++)
        put_text(sink, pad);
    for (int i = 0; i < length; i++)
        put_text(sink, text[i]);
    for (int i = length; i < width && left; i++)
        put_text(sink, ' ');
}

static void put_number(struct text_sink *sink, unsigned long long value, _Bool negative, unsigned base, int letters,
                       int width, _Bool left, _Bool zeros) {
    char digits[24];
    int at = (int)sizeof digits;
    do {
        unsigned digit = (unsigned)(value % base);
        digits[--at] = (char)(digit < 10 ? '0' + (int)digit : letters + (int)digit - 10);
        value /= base;
    } while (value);
    if (negative && zeros && !left) {
        put_text(sink, '-');
        width--;
    } else if (negative) {
        digits[--at] = '-';
    }
    put_padded(sink, digits + at, (int)sizeof digits - at, width, left, zeros && !left ? '0' : ' ');
}

static int format_text(char *to, __selvedge_size room, const char *format, __builtin_va_list args) {
    struct text_sink sink = {to, room, 0};
    for (; *format; format++) {
        if (*format != '%') {
            put_text(&sink, *format);
            continue;
        }
        format++;
        _Bool left = 0, zeros = 0;
        for (; *format == '-' || *format == '0'; format++) {
            left |= *format == '-';
            zeros |= *format == '0';
        }
        int width = 0;
        for (; *format >= '0' && *format <= '9'; format++)
            width = 10 * width + *format - '0';
        int longs = 0; /* 1: long, 2: long long, -1: size_t and its like */
        for (; *format == 'l' || *format == 'z' || *format == 't' || *format == 'h'; format++) {
            if (*format == 'l')
                longs++;
            else if (*format != 'h')
                longs = -1;
        }
        unsigned long long value;
        switch (*format) {
        case 'd':
        case 'i': {
            long long number = longs == 2  ? __builtin_va_arg(args, long long)
                               : longs == 1 ? __builtin_va_arg(args, long)
                               : longs      ? __builtin_va_arg(args, __PTRDIFF_TYPE__)
                                            : __builtin_va_arg(args, int);
            value = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
            put_number(&sink, value, number < 0, 10, 'a', width, left, zeros);
            break;
        }
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            value = longs == 2  ? __builtin_va_arg(args, unsigned long long)
                    : longs == 1 ? __builtin_va_arg(args, unsigned long)
                    : longs      ? __builtin_va_arg(args, __selvedge_size)
                                 : __builtin_va_arg(args, unsigned);
            put_number(&sink, value, 0, *format == 'u' ? 10 : *format == 'o' ? 8 : 16, *format == 'X' ? 'A' : 'a', width,
                       left, zeros);
            break;
        case 'c': {
            char c = (char)__builtin_va_arg(args, int);
            put_padded(&sink, &c, 1, width, left, ' ');
            break;
        }
        case 's': {
            const char *s = __builtin_va_arg(args, const char *);
            put_padded(&sink, s, (int)text_length(s), width, left, ' ');
            break;
        }
        case 'p':
            (void)__builtin_va_arg(args, void *);
            put_padded(&sink, "0x1", 3, width, left, ' ');
            break;
        case '%':
            put_text(&sink, '%');
            break;
        default:
            __selvedge_unsupported("a conversion of sprintf that is not modelled");
        }
    }
    if (room)
        to[sink.length < room ? sink.length : room - 1] = 0;
    return (int)sink.length;
}

#define NO_LIMIT ((__selvedge_size)-1)

int vsnprintf(char *to, __selvedge_size room, const char *format, __builtin_va_list args) {
    return format_text(to, room, format, args);
}

int vsprintf(char *to, const char *format, __builtin_va_list args) {
    return format_text(to, NO_LIMIT, format, args);
}

int snprintf(char *to, __selvedge_size room, const char *format, ...) {
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int length = format_text(to, room, format, args);
    __builtin_va_end(args);
    return length;
}

int sprintf(char *to, const char *format, ...) {
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int length = format_text(to, NO_LIMIT, format, args);
    __builtin_va_end(args);
    return length;
}

/* ---- input ---- */

static int any_input_character(void) {
    return (int)__selvedge_nondet_range(0, 256) - 1; /* -1 is the end of the file */
}

int getchar(void) { return any_input_character(); }
int getc(void *stream) { (void)stream; return any_input_character(); }
int fgetc(void *stream) { (void)stream; return any_input_character(); }

static int scan_input(const char *format, __builtin_va_list args) {
    int done = 0;
    for (; *format; format++) {
        if (*format != '%')
            continue;
        format++;
        int size = 0; /* 1: long, 2: long long, -1: short, -2: char */
        for (; *format == 'l' || *format == 'h'; format++)
            size += *format == 'l' ? 1 : -1;
        if (*format == '%')
            continue;
        if (*format != 'd' && *format != 'i' && *format != 'u' && *format != 'x' && *format != 'c')
            __selvedge_unsupported("a conversion of scanf that is not modelled");
        if (__selvedge_nondet_bool())
            return done ? done : -1; /* no more input, or none that fits */
        if (*format == 'c' || size == -2)
            *__builtin_va_arg(args, char *) = (char)__selvedge_nondet_range(0, 255);
        else if (size == 2)
            *__builtin_va_arg(args, long long *) = (long long)__selvedge_nondet_u64();
        else if (size == 1 && sizeof(long) == 8)
            *__builtin_va_arg(args, long *) = (long)__selvedge_nondet_u64();
        else if (size == -1)
            *__builtin_va_arg(args, short *) = (short)__selvedge_nondet_range(0, 0xFFFF);
        else
            *__builtin_va_arg(args, int *) = __selvedge_nondet_int();
        done++;
    }
    return done;
}

#define SELVEDGE_SCANF(name)                        \
    int name(const char *format, ...) {             \
        __builtin_va_list args;                     \
        __builtin_va_start(args, format);           \
        int done = scan_input(format, args);        \
        __builtin_va_end(args);                     \
        return done;                                \
    }
#define SELVEDGE_FSCANF(name)                              \
    int name(void *stream, const char *format, ...) {      \
        (void)stream;                                      \
        __builtin_va_list args;                            \
        __builtin_va_start(args, format);                  \
        int done = scan_input(format, args);               \
        __builtin_va_end(args);                            \
        return done;                                       \
    }
SELVEDGE_SCANF(scanf)
SELVEDGE_SCANF(__isoc99_scanf)
SELVEDGE_SCANF(__isoc23_scanf)
SELVEDGE_FSCANF(fscanf)
SELVEDGE_FSCANF(__isoc99_fscanf)
SELVEDGE_FSCANF(__isoc23_fscanf)

/* ---- files ---- */

void *fopen(const char *path, const char *mode) {
    (void)path, (void)mode;
    if (__selvedge_nondet_bool())
        return &selvedge_streams[0];
    selvedge_errno = E_NOENT;
    return SELVEDGE_NULL;
}

int fclose(void *stream) { (void)stream; return 0; }
int feof(void *stream) { (void)stream; return __selvedge_nondet_bool(); }
int ferror(void *stream) { (void)stream; return __selvedge_nondet_bool(); }
void clearerr(void *stream) { (void)stream; }
int remove(const char *path) { (void)path; return 0; }

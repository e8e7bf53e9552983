/* scanf and its kin. sscanf reads the text that it is given, exactly; from streams every conversion yields any value, and any
 * may meet the end of the input. */
#include "internal.h"
#include "ctype.c"
#include "floats.c"
#include "math.c"
#include "stdlib.c"
#include "streams.c"

struct scan_source {
    const char *text; /* null: a stream, whose contents are open */
    const char *start;
};

static _Bool scan_blank(struct scan_source *s) {
    if (s->text)
        while (is_space(*s->text))
            s->text++;
    return !s->text || *s->text;
}

static void scan_store(__builtin_va_list *args, int size, unsigned long long value) {
    if (size == 2)
        *__builtin_va_arg(*args, long long *) = (long long)value;
    else if (size == 1)
        *__builtin_va_arg(*args, long *) = (long)value;
    else if (size == -1)
        *__builtin_va_arg(*args, short *) = (short)value;
    else if (size == -2)
        *__builtin_va_arg(*args, char *) = (char)value;
    else
        *__builtin_va_arg(*args, int *) = (int)value;
}

/* A set of characters, as in %[a-z]: whether it has `c`. `end` is its closing bracket. */
static _Bool in_set(const char *set, const char *end, char c) {
    _Bool inverted = *set == '^', found = 0;
    if (inverted)
        set++;
    for (const char *s = set; s < end; s++) {
        if (s + 2 < end && s[1] == '-') {
            found |= c >= s[0] && c <= s[2];
            s += 2;
        } else {
            found |= c == *s;
        }
    }
    return found != inverted;
}

static const char *end_of_set(const char *set) {
    if (*set == '^')
        set++;
    if (*set == ']')
        set++;
    while (*set && *set != ']')
        set++;
    return set;
}

/* Letters up to `most` into `to`, which may be null: how many there are. */
static int scan_letters(struct scan_source *s, char *to, int most, char kind, const char *set, const char *set_end) {
    int length = 0;
    if (s->text) {
        for (; length < most && *s->text; s->text++, length++) {
            char c = *s->text;
            if (kind == 's' ? is_space(c) : kind == '[' && !in_set(set, set_end, c))
                break;
            if (to)
                to[length] = c;
        }
    } else {
        /* Without a width there is no end to it: the longest text is the one that does not fit. */
        __selvedge_size room = to ? __selvedge_object_size(to) - __selvedge_object_offset(to) : 1;
        unsigned longest = (unsigned)most < room ? (unsigned)most : (unsigned)room;
        length = kind == 'c' ? most : (int)__selvedge_nondet_range(1, LONGEST_INPUT((unsigned)longest));
        for (int i = 0; i < length && to; i++)
            to[i] = (char)__selvedge_nondet_range(1, 255);
    }
    if (to && kind != 'c' && length)
        to[length] = 0;
    return length;
}

/* The next `width` characters: a number that is not longer. */
enum { SCANNED_BYTES = 64 };
static const char *limited_text(char *part, const char *text, int width) {
    int length = 0;
    for (; length < width && length < SCANNED_BYTES - 1 && text[length]; length++)
        part[length] = text[length];
    part[length] = 0;
    return part;
}

static int scan(struct scan_source *s, const char *format, __builtin_va_list args) {
    __builtin_va_list list;
    __builtin_va_copy(list, args);
    int done = 0;
    for (; *format; format++) {
        if (is_space(*format)) {
            scan_blank(s);
            continue;
        }
        if (*format != '%' || format[1] == '%') {
            if (*format == '%') {
                format++;
                scan_blank(s);
            }
            if (s->text && *s->text != *format)
                return done || *s->text ? done : -1;
            if (s->text)
                s->text++;
            continue;
        }
        format++;
        _Bool skipped = *format == '*';
        if (skipped)
            format++;
        int width = 0, size = 0; /* 1: long, 2: long long, -1: short, -2: char */
        for (; *format >= '0' && *format <= '9'; format++)
            width = 10 * width + *format - '0';
        for (;; format++) {
            if (*format == 'l')
                size++;
            else if (*format == 'h')
                size--;
            else if (*format == 'z' || *format == 't')
                size = 1;
            else if (*format == 'j' || *format == 'q')
                size = 2;
            else if (*format == 'L')
                size = 3;
            else
                break;
        }
        if (sizeof(long) == 4 && size == 1)
            size = 0;
        char kind = *format;
        if (kind == 'n') {
            if (!s->text)
                __selvedge_unsupported("%n in a format of scanf");
            scan_store(&list, size, (unsigned long long)(s->text - s->start));
            continue;
        }
        if (kind != 'c' && kind != '[' && !scan_blank(s))
            return done ? done : -1;
        if (s->text && !*s->text)
            return done ? done : -1;
        if (!s->text && __selvedge_nondet_bool())
            return done ? done : -1; /* no more input, or none that fits */
        switch (kind) {
        case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': case 'p': {
            unsigned long long value = 0;
            if (s->text) {
                _Bool negative, overflow;
                char *end;
                int base = kind == 'i' ? 0 : kind == 'x' || kind == 'X' || kind == 'p' ? 16 : kind == 'o' ? 8 : 10;
                char part[SCANNED_BYTES];
                const char *text = width ? limited_text(part, s->text, width) : s->text;
                value = parse_number(text, &end, base, &negative, &overflow);
                if (end == text)
                    return done;
                if (negative)
                    value = 0 - value;
                s->text += end - text;
            } else {
                value = __selvedge_nondet_u64();
            }
            if (!skipped)
                scan_store(&list, kind == 'p' ? (sizeof(void *) == 8 ? 2 : 0) : size, value);
            break;
        }
        case 's': case 'c': case '[': {
            const char *set = format + 1, *set_end = set;
            if (kind == '[') {
                set_end = end_of_set(set);
                format = set_end;
            }
            char *to = skipped ? SELVEDGE_NULL : __builtin_va_arg(list, char *);
            int length = scan_letters(s, to, width ? width : kind == 'c' ? 1 : 0x7FFFFFFF, kind, set, set_end);
            if (!length)
                return done;
            break;
        }
        case 'a': case 'e': case 'f': case 'g':
        case 'A': case 'E': case 'F': case 'G': {
            double value;
            if (s->text) {
                char part[SCANNED_BYTES], *end;
                const char *text = width ? limited_text(part, s->text, width) : s->text;
                value = parse_float(text, &end);
                if (end == text)
                    return done;
                s->text += end - text;
            } else {
                value = any_double();
            }
            if (!skipped && size == 3)
                *__builtin_va_arg(list, long double *) = value;
            else if (!skipped && size == 1)
                *__builtin_va_arg(list, double *) = value;
            else if (!skipped)
                *__builtin_va_arg(list, float *) = (float)value;
            break;
        }
        default:
            __selvedge_unsupported("a conversion of scanf that is not modelled");
        }
        done += !skipped;
    }
    return done;
}

static int scan_text(const char *text, const char *format, __builtin_va_list args) {
    struct scan_source source = {text, text};
    return scan(&source, format, args);
}

static int scan_stream(const char *format, __builtin_va_list args) {
    struct scan_source source = {SELVEDGE_NULL, SELVEDGE_NULL};
    return scan(&source, format, args);
}

/* The rest of the buffer, which need not end with a NUL. */
static int scan_memory(struct memory_stream *s, const char *format, __builtin_va_list args) {
    __selvedge_size left = s->position < s->length ? s->length - s->position : 0;
    char *text = __selvedge_alloc(left + 1, 1);
    __builtin_memcpy(text, s->bytes + s->position, left);
    text[left] = 0;
    struct scan_source source = {text, text};
    int done = scan(&source, format, args);
    s->position += (__selvedge_size)(source.text - text);
    s->at_end = !*source.text;
    __selvedge_free(text);
    return done;
}

static int scan_file(void *stream, const char *format, __builtin_va_list args) {
    use_stream(stream);
    return in_memory(stream) ? scan_memory(in_memory(stream), format, args) : scan_stream(format, args);
}

/* Newer glibc headers redirect to names of their own. */
#define SELVEDGE_SCANF(prefix)                                                             \
    int prefix##vscanf(const char *format, __builtin_va_list args) {                       \
        return scan_stream(format, args);                                                  \
    }                                                                                      \
    int prefix##vfscanf(void *stream, const char *format, __builtin_va_list args) {        \
        return scan_file(stream, format, args);                                            \
    }                                                                                      \
    int prefix##vsscanf(const char *text, const char *format, __builtin_va_list args) {    \
        return scan_text(text, format, args);                                              \
    }                                                                                      \
    int prefix##scanf(const char *format, ...) {                                           \
        __builtin_va_list args;                                                            \
        __builtin_va_start(args, format);                                                  \
        int done = scan_stream(format, args);                                              \
        __builtin_va_end(args);                                                            \
        return done;                                                                       \
    }                                                                                      \
    int prefix##fscanf(void *stream, const char *format, ...) {                            \
        __builtin_va_list args;                                                            \
        __builtin_va_start(args, format);                                                  \
        int done = scan_file(stream, format, args);                                        \
        __builtin_va_end(args);                                                            \
        return done;                                                                       \
    }                                                                                      \
    int prefix##sscanf(const char *text, const char *format, ...) {                        \
        __builtin_va_list args;                                                            \
        __builtin_va_start(args, format);                                                  \
        int done = scan_text(text, format, args);                                          \
        __builtin_va_end(args);                                                            \
        return done;                                                                       \
    }
SELVEDGE_SCANF()
SELVEDGE_SCANF(__isoc99_)
SELVEDGE_SCANF(__isoc23_)

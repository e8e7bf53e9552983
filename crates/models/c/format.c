/* The text that printf and its kin make: exact for integers, characters, strings, and floating-point numbers of common size. A
 * pointer's text is "0x1". Any other text of a floating-point number has any length that is possible, and any contents. */
#include "internal.h"
#include "decimals.c"
#include "memory.c"
#include "string.c"

struct text_sink {
    _Bool only_reads; /* what the arguments point to; nobody looks at the text or at its length */
    char *to;
    __selvedge_size room; /* bytes of `to`, the final NUL included */
    __selvedge_size length;
};

struct conversion {
    _Bool left, zeros, plus, blank, alternate;
    int width;
    int precision; /* -1: none */
    int longs;     /* 1: long, 2: long long, -1: size_t and its like, 3: long double */
    int shorts;    /* 1: short, 2: char */
};

static void put_text(struct text_sink *sink, char c) {
    if (sink->only_reads)
        return;
    if (sink->length + 1 < sink->room)
        sink->to[sink->length] = c;
    sink->length++;
}

static void put_padding(struct text_sink *sink, int count, char pad) {
    for (int i = 0; i < count; i++)
        put_text(sink, pad);
}

static void put_padded(struct text_sink *sink, const char *text, int length, const struct conversion *c) {
    put_padding(sink, c->left ? 0 : c->width - length, ' ');
    for (int i = 0; i < length; i++)
        put_text(sink, text[i]);
    put_padding(sink, c->left ? c->width - length : 0, ' ');
}

static void put_number(struct text_sink *sink, unsigned long long value, const char *sign, unsigned base, int letters,
                       const struct conversion *c) {
    char digits[24];
    int at = (int)sizeof digits;
    while (value) {
        unsigned digit = (unsigned)(value % base);
        digits[--at] = (char)(digit < 10 ? '0' + (int)digit : letters + (int)digit - 10);
        value /= base;
    }
    int count = (int)sizeof digits - at, signs = (int)text_length(sign);
    int zeros = c->precision >= 0 ? c->precision - count : count ? 0 : 1;
    if (c->precision < 0 && c->zeros && !c->left && c->width - signs - count > zeros)
        zeros = c->width - signs - count;
    if (zeros < 0)
        zeros = 0;
    int blanks = c->width - signs - zeros - count;
    put_padding(sink, c->left ? 0 : blanks, ' ');
    for (int i = 0; i < signs; i++)
        put_text(sink, sign[i]);
    put_padding(sink, zeros, '0');
    for (int i = 0; i < count; i++)
        put_text(sink, digits[at + i]);
    put_padding(sink, c->left ? blanks : 0, ' ');
}

/* False if the text is not known. */
static _Bool put_double(struct text_sink *sink, double x, char kind, const struct conversion *c) {
    char text[MOST_DIGITS];
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    int length = float_text(text, x, kind, c->precision, c->alternate);
    if (length < 0)
        return 0;
    char sign = bits >> 63 && x == x ? '-' : c->plus ? '+' : c->blank ? ' ' : 0;
    _Bool is_number = text[0] >= '0' && text[0] <= '9';
    int padding = c->width - length - (sign != 0);
    if (!c->left && !(c->zeros && is_number))
        put_padding(sink, padding, ' ');
    if (sign)
        put_text(sink, sign);
    int at = 0;
    if (!c->left && c->zeros && is_number) {
        for (; length > 1 && (text[1] == 'x' || text[1] == 'X') && at < 2; at++)
            put_text(sink, text[at]);
        put_padding(sink, padding, '0');
    }
    for (; at < length; at++)
        put_text(sink, text[at]);
    put_padding(sink, c->left ? padding : 0, ' ');
    return 1;
}

/* Characters of more than seven bits are not told apart. */
static void put_wide(struct text_sink *sink, const __WCHAR_TYPE__ *s, const struct conversion *c) {
    int length = 0;
    if (!s)
        s = L"(null)";
    while ((c->precision < 0 || length < c->precision) && s[length])
        length++;
    if (sink->only_reads)
        return;
    put_padding(sink, c->left ? 0 : c->width - length, ' ');
    for (int i = 0; i < length; i++)
        put_text(sink, (char)s[i]);
    put_padding(sink, c->left ? c->width - length : 0, ' ');
}

/* Any text of a length that is possible. */
static void put_float(struct text_sink *sink, const struct conversion *c) {
    int shortest = 3, longest = 24 + (c->precision > 6 ? c->precision : 6); /* "nan" */
    int length = (int)__selvedge_nondet_range((unsigned)shortest, (unsigned)longest);
    char any = (char)__selvedge_nondet_range('+', 'x'); /* the same one all over */
    put_padding(sink, c->left ? 0 : c->width - length, ' ');
    for (int i = 0; i < length; i++)
        put_text(sink, any);
    put_padding(sink, c->left ? c->width - length : 0, ' ');
}

static const char *read_number(const char *format, int *value) {
    *value = 0;
    for (; *format >= '0' && *format <= '9'; format++)
        *value = 10 * *value + *format - '0';
    return format;
}

static void format_into(struct text_sink *to, const char *format, __builtin_va_list args) {
    struct text_sink sink = *to;
    for (; *format; format++) {
        if (*format != '%') {
            put_text(&sink, *format);
            continue;
        }
        format++;
        struct conversion c = {0};
        for (;; format++) {
            if (*format == '-')
                c.left = 1;
            else if (*format == '0')
                c.zeros = 1;
            else if (*format == '+')
                c.plus = 1;
            else if (*format == ' ')
                c.blank = 1;
            else if (*format == '#')
                c.alternate = 1;
            else if (*format != '\'')
                break;
        }
        if (*format == '*') {
            c.width = __builtin_va_arg(args, int);
            if (c.width < 0)
                c.left = 1, c.width = -c.width;
            format++;
        } else {
            format = read_number(format, &c.width);
        }
        c.precision = -1;
        if (*format == '.') {
            if (*++format == '*') {
                c.precision = __builtin_va_arg(args, int);
                format++;
            } else {
                format = read_number(format, &c.precision);
            }
        }
        for (;; format++) {
            if (*format == 'l')
                c.longs++;
            else if (*format == 'z' || *format == 't')
                c.longs = -1;
            else if (*format == 'j')
                c.longs = 2;
            else if (*format == 'L' || *format == 'q')
                c.longs = *format == 'L' ? 3 : 2;
            else if (*format == 'h')
                c.shorts++;
            else
                break;
        }
        unsigned long long value;
        switch (*format) {
        case 'd':
        case 'i': {
            long long number = c.longs == 2   ? __builtin_va_arg(args, long long)
                               : c.longs == 1 ? __builtin_va_arg(args, long)
                               : c.longs == 3 ? __builtin_va_arg(args, long long)
                               : c.longs      ? __builtin_va_arg(args, __PTRDIFF_TYPE__)
                                              : __builtin_va_arg(args, int);
            if (sink.only_reads)
                break;
            if (c.shorts)
                number = c.shorts == 1 ? (short)number : (signed char)number;
            value = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
            put_number(&sink, value, number < 0 ? "-" : c.plus ? "+" : c.blank ? " " : "", 10, 'a', &c);
            break;
        }
        case 'u':
        case 'x':
        case 'X':
        case 'o': {
            value = c.longs == 2   ? __builtin_va_arg(args, unsigned long long)
                    : c.longs == 1 ? __builtin_va_arg(args, unsigned long)
                    : c.longs == 3 ? __builtin_va_arg(args, unsigned long long)
                    : c.longs      ? __builtin_va_arg(args, __selvedge_size)
                                   : __builtin_va_arg(args, unsigned);
            if (sink.only_reads)
                break;
            if (c.shorts)
                value = c.shorts == 1 ? (unsigned short)value : (unsigned char)value;
            const char *prefix = !c.alternate || !value ? "" : *format == 'x' ? "0x" : *format == 'X' ? "0X" : *format == 'o' ? "0" : "";
            put_number(&sink, value, prefix, *format == 'u' ? 10 : *format == 'o' ? 8 : 16, *format == 'X' ? 'A' : 'a', &c);
            break;
        }
        case 'c': {
            char letter = (char)__builtin_va_arg(args, int);
            if (sink.only_reads)
                break;
            put_padded(&sink, &letter, 1, &c);
            break;
        }
        case 's': {
            const char *s = __builtin_va_arg(args, const char *);
            if (c.longs) {
                put_wide(&sink, (const __WCHAR_TYPE__ *)s, &c);
                break;
            }
            if (!s)
                s = "(null)";
            int length = 0;
            while ((c.precision < 0 || length < c.precision) && s[length])
                length++;
            if (sink.only_reads)
                break;
            put_padded(&sink, s, length, &c);
            break;
        }
        case 'p':
            if (__builtin_va_arg(args, void *))
                put_padded(&sink, "0x1", 3, &c);
            else
                put_padded(&sink, "(nil)", 5, &c);
            break;
        case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
            {
                double x = c.longs == 3 ? (double)__builtin_va_arg(args, long double) : __builtin_va_arg(args, double);
                if (sink.only_reads)
                    break;
                if (!put_double(&sink, x, *format, &c))
                    put_float(&sink, &c);
            }
            break;
        case 'n':
            if (c.longs == 2)
                *__builtin_va_arg(args, long long *) = (long long)sink.length;
            else if (c.longs)
                *__builtin_va_arg(args, long *) = (long)sink.length;
            else if (c.shorts == 2)
                *__builtin_va_arg(args, signed char *) = (signed char)sink.length;
            else if (c.shorts)
                *__builtin_va_arg(args, short *) = (short)sink.length;
            else
                *__builtin_va_arg(args, int *) = (int)sink.length;
            break;
        case 'm':
            put_padded(&sink, "error", 5, &c);
            break;
        case '%':
            put_text(&sink, '%');
            break;
        default:
            __selvedge_unsupported("a conversion of printf that is not modelled");
        }
    }
    to->length = sink.length;
}

static int format_text(char *to, __selvedge_size room, const char *format, __builtin_va_list args) {
    struct text_sink sink = {0, to, room, 0};
    format_into(&sink, format, args);
    if (room)
        to[sink.length < room ? sink.length : room - 1] = 0;
    return (int)sink.length;
}

/* A text that goes to a file whose length nobody looks at: what the arguments point to is read all the same. */
static void read_arguments(const char *format, __builtin_va_list args) {
    struct text_sink sink = {1, SELVEDGE_NULL, 0, 0};
    format_into(&sink, format, args);
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

/* Two passes: how long the text is, then the text. */
static int allocate_text(char **to, const char *format, __builtin_va_list args) {
    __builtin_va_list again;
    __builtin_va_copy(again, args);
    int length = format_text(SELVEDGE_NULL, 0, format, again);
    __builtin_va_end(again);
    char *text = allocate((__selvedge_size)length + 1, 2 * sizeof(void *));
    *to = text;
    if (!text)
        return -1;
    format_text(text, (__selvedge_size)length + 1, format, args);
    return length;
}

int vasprintf(char **to, const char *format, __builtin_va_list args) {
    return allocate_text(to, format, args);
}

int asprintf(char **to, const char *format, ...) {
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int length = allocate_text(to, format, args);
    __builtin_va_end(args);
    return length;
}

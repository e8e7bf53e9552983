/* The text that printf and its kin make: exact for integers, characters, strings, and %f of numbers of common size. A
 * pointer's text is "0x1". Any other text of a floating-point number has any length that is possible, and any contents. */
#include "internal.h"
#include "memory.c"
#include "string.c"

struct text_sink {
    char *to;
    __selvedge_size room; /* bytes of `to`, the final NUL included */
    __selvedge_size length;
};

struct conversion {
    _Bool left, zeros, plus, blank, alternate;
    int width;
    int precision; /* -1: none */
    int longs;     /* 1: long, 2: long long, -1: size_t and its like, 3: long double */
};

/* A long double, unread. */
#ifdef __x86_64__
struct long_double_bytes { unsigned long words[2]; } __attribute__((aligned(16)));
#else
struct long_double_bytes { unsigned long words[3]; };
#endif

static void put_text(struct text_sink *sink, char c) {
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

/* Digits before and after the point, exactly: a double is m / 2^k. False if it is too large or too small for 128 bits. */
static _Bool put_fixed(struct text_sink *sink, double x, const struct conversion *c) {
    int precision = c->precision < 0 ? 6 : c->precision;
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7FF);
    unsigned long long mantissa = bits & ((1ull << 52) - 1);
    int k = 1075 - exponent; /* m / 2^k, with the hidden bit in m */
    if (x != 0 && (exponent == 0 || k < -10 || k > 60))
        return 0;
    unsigned long long whole = 0, rest = 0, unit = 1;
    if (x != 0) {
        mantissa |= 1ull << 52;
        whole = k <= 0 ? mantissa << -k : mantissa >> k;
        unit = k <= 0 ? 1 : 1ull << k;
        rest = k <= 0 ? 0 : mantissa & (unit - 1);
    }
    char text[64];
    int length = 0;
    if (precision > 20)
        return 0;
    char digits[21];
    for (int i = 0; i < precision; i++) {
        rest *= 10; /* below 10 * 2^60 */
        digits[i] = (char)(rest / unit);
        rest %= unit;
    }
    int last = precision ? digits[precision - 1] : (int)(whole & 1);
    if (rest > unit - rest || (rest == unit - rest && (last & 1))) {
        int at = precision - 1;
        while (at >= 0 && digits[at] == 9)
            digits[at--] = 0;
        if (at >= 0)
            digits[at]++;
        else
            whole++;
    }
    char before[20];
    int count = 0;
    do {
        before[count++] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole);
    if (bits >> 63)
        text[length++] = '-';
    else if (c->plus || c->blank)
        text[length++] = c->plus ? '+' : ' ';
    while (count)
        text[length++] = before[--count];
    if (precision || c->alternate)
        text[length++] = '.';
    for (int i = 0; i < precision; i++)
        text[length++] = (char)('0' + digits[i]);
    if (c->zeros && !c->left && length < c->width)
        return 0;
    put_padded(sink, text, length, c);
    return 1;
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

static int format_text(char *to, __selvedge_size room, const char *format, __builtin_va_list args) {
    struct text_sink sink = {to, room, 0};
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
            else if (*format == 'L')
                c.longs = 3;
            else if (*format != 'h')
                break;
        }
        unsigned long long value;
        switch (*format) {
        case 'd':
        case 'i': {
            long long number = c.longs == 2   ? __builtin_va_arg(args, long long)
                               : c.longs == 1 ? __builtin_va_arg(args, long)
                               : c.longs      ? __builtin_va_arg(args, __PTRDIFF_TYPE__)
                                              : __builtin_va_arg(args, int);
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
                    : c.longs      ? __builtin_va_arg(args, __selvedge_size)
                                   : __builtin_va_arg(args, unsigned);
            const char *prefix = !c.alternate || !value ? "" : *format == 'x' ? "0x" : *format == 'X' ? "0X" : *format == 'o' ? "0" : "";
            put_number(&sink, value, prefix, *format == 'u' ? 10 : *format == 'o' ? 8 : 16, *format == 'X' ? 'A' : 'a', &c);
            break;
        }
        case 'c': {
            char letter = (char)__builtin_va_arg(args, int);
            put_padded(&sink, &letter, 1, &c);
            break;
        }
        case 's': {
            const char *s = __builtin_va_arg(args, const char *);
            if (!s)
                s = "(null)";
            int length = 0;
            while ((c.precision < 0 || length < c.precision) && s[length])
                length++;
            put_padded(&sink, s, length, &c);
            break;
        }
        case 'p':
            (void)__builtin_va_arg(args, void *);
            put_padded(&sink, "0x1", 3, &c);
            break;
        case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
            if (c.longs == 3) {
                (void)__builtin_va_arg(args, struct long_double_bytes);
                put_float(&sink, &c);
            } else {
                double x = __builtin_va_arg(args, double);
                if ((*format != 'f' && *format != 'F') || !put_fixed(&sink, x, &c))
                    put_float(&sink, &c);
            }
            break;
        case 'n':
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

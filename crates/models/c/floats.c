/* Floating-point numbers in text, as strtod reads them: exact for up to 19 digits and small exponents, which is where one
 * operation on doubles rounds once; any number of the right sign for all others. */
#include "internal.h"
#include "ctype.c"
#include "math.c"
#include "string.c"

static _Bool starts_with(const char *s, const char *word) {
    for (; *word; s++, word++)
        if (lower_case(*s) != *word)
            return 0;
    return 1;
}

/* The digits of a base, with a point between them: all of them if they fit 64 bits. */
struct digits {
    unsigned long long value;
    int exponent;   /* of the base */
    _Bool any, cut; /* a digit that is not 0 was left out */
};

static const char *read_digits(const char *s, int base, struct digits *found) {
    _Bool point = 0;
    for (;; s++) {
        if (*s == '.' && !point) {
            point = 1;
            continue;
        }
        int digit = is_digit(*s) ? *s - '0' : base == 16 && is_hex(*s) ? lower_case(*s) - 'a' + 10 : -1;
        if (digit < 0)
            return s;
        found->any = 1;
        unsigned long long more;
        if (__builtin_mul_overflow(found->value, (unsigned long long)base, &more) ||
            __builtin_add_overflow(more, (unsigned long long)digit, &more)) {
            found->cut |= digit != 0;
            found->exponent += !point;
        } else {
            found->value = more;
            found->exponent -= point;
        }
    }
}

/* e+12: the position behind it, or `s` if there is none. */
static const char *read_exponent(const char *s, char letter, int *exponent) {
    if (lower_case(*s) != letter)
        return s;
    const char *at = s + 1;
    _Bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (!is_digit(*at))
        return s;
    int value = 0;
    for (; is_digit(*at); at++)
        if (value < 100000)
            value = 10 * value + *at - '0';
    *exponent += negative ? -value : value;
    return at;
}

static double power_of_ten(int n) { /* exact up to 22 */
    double power = 1;
    for (int i = 0; i < n; i++)
        power *= 10;
    return power;
}

static double decimal(const struct digits *found) {
    int exponent = found->exponent;
    unsigned long long value = found->value;
    while (exponent < 0 && value % 10 == 0 && value) {
        value /= 10;
        exponent++;
    }
    if (!value && !found->cut)
        return 0;
    if (exponent > 0 && exponent < 16)
        for (unsigned long long more; exponent > 0 && !__builtin_mul_overflow(value, 10ull, &more) && more < 1ull << 53; exponent--)
            value = more;
    if (!found->cut && value < 1ull << 53 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)value / power_of_ten(-exponent) : (double)value * power_of_ten(exponent);
    if (!found->cut && exponent == 0)
        return (double)value;
    if (exponent > 310) {
        selvedge_errno = E_RANGE;
        return INFINITE;
    }
    if (exponent < -345) {
        selvedge_errno = E_RANGE;
        return 0;
    }
    return any_between(0, INFINITE);
}

static double parse_float(const char *s, char **end) {
    const char *start = s;
    while (is_space(*s))
        s++;
    _Bool negative = *s == '-';
    if (*s == '-' || *s == '+')
        s++;
    double value = 0;
    if (starts_with(s, "inf")) {
        s += starts_with(s, "infinity") ? 8 : 3;
        value = INFINITE;
    } else if (starts_with(s, "nan")) {
        s += 3;
        value = NOT_A_NUMBER;
    } else {
        struct digits found = {0, 0, 0, 0};
        _Bool hexadecimal = s[0] == '0' && lower_case(s[1]) == 'x' && (is_hex(s[2]) || (s[2] == '.' && is_hex(s[3])));
        const char *behind = read_digits(hexadecimal ? s + 2 : s, hexadecimal ? 16 : 10, &found);
        if (!found.any) {
            if (end)
                *end = (char *)start;
            return 0;
        }
        if (hexadecimal) {
            found.exponent *= 4;
            s = read_exponent(behind, 'p', &found.exponent);
            value = found.cut ? any_between(0, INFINITE) : scale((double)found.value, found.exponent);
        } else {
            s = read_exponent(behind, 'e', &found.exponent);
            value = decimal(&found);
        }
    }
    if (end)
        *end = (char *)s;
    return negative ? -value : value;
}

double strtod(const char *s, char **end) { return parse_float(s, end); }
float strtof(const char *s, char **end) { return (float)parse_float(s, end); }
long double strtold(const char *s, char **end) { return parse_float(s, end); }
double atof(const char *s) { return parse_float(s, SELVEDGE_NULL); }

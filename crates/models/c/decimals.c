/* The text of floating-point numbers, as %f, %e, %g and %a print them: exact, by integer arithmetic, for numbers that are neither
 * too large nor too small for it. */
#include "internal.h"
#include "math.c"

#ifdef __SIZEOF_INT128__
typedef unsigned __int128 wide_number;
enum { MOST_FRACTION_BITS = 124, MOST_ZERO_BITS = 74 };
#else
typedef unsigned long long wide_number;
enum { MOST_FRACTION_BITS = 60, MOST_ZERO_BITS = 10 };
#endif

enum { MOST_DIGITS = 100, MOST_PRECISION = 34 };

/* Decimal digits: `whole` of them before the point. */
struct decimals {
    char digit[MOST_DIGITS];
    int whole, count;
    _Bool more; /* there are others that are not 0 */
};

/* The digits of |x|, with `parts` of them behind the point. */
static _Bool expand(double x, int parts, struct decimals *to) {
    unsigned long long bits = double_bits(x);
    int exponent = (int)(bits >> 52 & 0x7FF);
    int shift = 1075 - exponent; /* m / 2^shift, with the hidden bit in m */
    unsigned long long mantissa = bits & ((1ull << 52) - 1);
    wide_number whole = 0, rest = 0;
    to->whole = to->count = 0;
    if (exponent || mantissa) {
        if (!exponent || shift < -MOST_ZERO_BITS || shift > MOST_FRACTION_BITS)
            return 0;
        mantissa |= 1ull << 52;
        if (shift <= 0)
            whole = (wide_number)mantissa << -shift;
        else {
            whole = shift < 53 ? mantissa >> shift : 0;
            rest = mantissa & (((wide_number)1 << shift) - 1);
        }
    } else {
        shift = 0;
    }
    char before[40];
    while (whole) {
        before[to->whole++] = (char)(whole % 10);
        whole /= 10;
    }
    for (int i = to->whole; i > 0; i--)
        to->digit[to->count++] = before[i - 1];
    for (int i = 0; i < parts; i++) {
        rest *= 10;
        to->digit[to->count++] = shift > 0 ? (char)(rest >> shift) : 0;
        rest = shift > 0 ? rest & (((wide_number)1 << shift) - 1) : 0;
    }
    to->more = rest != 0;
    return 1;
}

/* Keeps the first `keep` digits, rounded: to the even one if both are as near. A carry may add one before all others. */
static void round_digits(struct decimals *d, int keep) {
    if (keep >= d->count)
        return;
    _Bool half = d->digit[keep] == 5, up = d->digit[keep] > 5;
    for (int i = keep + 1; i < d->count; i++)
        half &= d->digit[i] == 0, up |= d->digit[keep] == 5 && d->digit[i] != 0;
    up |= d->digit[keep] == 5 && d->more;
    if (!up && half && !d->more)
        up = keep > 0 && (d->digit[keep - 1] & 1);
    d->count = keep;
    if (!up)
        return;
    int at = keep - 1;
    while (at >= 0 && d->digit[at] == 9)
        d->digit[at--] = 0;
    if (at >= 0) {
        d->digit[at]++;
        return;
    }
    for (int i = keep; i > 0; i--)
        d->digit[i] = d->digit[i - 1];
    d->digit[0] = 1;
    d->whole++;
    d->count++;
}

static int put_fraction(char *text, int length, const struct decimals *d, int from, int precision, _Bool alternate) {
    if (precision || alternate)
        text[length++] = '.';
    for (int i = 0; i < precision; i++)
        text[length++] = (char)('0' + (from + i < d->count ? d->digit[from + i] : 0));
    return length;
}

static int fixed_text(char *text, double x, int precision, _Bool alternate) {
    struct decimals d;
    int length = 0;
    if (!expand(x, precision + 1, &d))
        return -1;
    round_digits(&d, d.whole + precision);
    if (!d.whole)
        text[length++] = '0';
    for (int i = 0; i < d.whole; i++)
        text[length++] = (char)('0' + d.digit[i]);
    return put_fraction(text, length, &d, d.whole, precision, alternate);
}

/* The digits of %e, and its exponent. */
static _Bool scientific(double x, int precision, struct decimals *d, int *exponent) {
    if (!expand(x, precision + 26, d))
        return 0;
    int zeros = 0;
    while (zeros < d->count && !d->digit[zeros])
        zeros++;
    if (zeros == d->count) {
        *exponent = 0;
        if (x != 0)
            return 0;
        d->whole = d->count = 1;
        return 1;
    }
    for (int i = zeros; i < d->count; i++)
        d->digit[i - zeros] = d->digit[i];
    d->count -= zeros;
    *exponent = d->whole - 1 - zeros;
    d->whole = 1;
    round_digits(d, precision + 1);
    *exponent += d->whole - 1;
    return 1;
}

static int put_exponent(char *text, int length, char letter, int exponent, int least_digits) {
    char digits[6];
    int count = 0, value = exponent < 0 ? -exponent : exponent;
    text[length++] = letter;
    text[length++] = exponent < 0 ? '-' : '+';
    for (; value || count < least_digits; value /= 10)
        digits[count++] = (char)('0' + value % 10);
    while (count)
        text[length++] = digits[--count];
    return length;
}

static int scientific_text(char *text, double x, char letter, int precision, _Bool alternate) {
    struct decimals d;
    int exponent;
    if (!scientific(x, precision, &d, &exponent))
        return -1;
    text[0] = (char)('0' + d.digit[0]);
    return put_exponent(text, put_fraction(text, 1, &d, 1, precision, alternate), letter, exponent, 2);
}

/* Without the zeros at the end of the fraction. */
static int general_text(char *text, double x, char letter, int precision, _Bool alternate) {
    struct decimals d;
    int exponent;
    precision = precision ? precision : 1;
    if (!scientific(x, precision - 1, &d, &exponent))
        return -1;
    _Bool fixed = exponent >= -4 && exponent < precision;
    int most = fixed ? precision - 1 - exponent : precision - 1;
    int length = fixed ? fixed_text(text, x, most, alternate) : -1;
    if (!fixed) {
        text[0] = (char)('0' + d.digit[0]);
        length = put_fraction(text, 1, &d, 1, most, alternate);
    }
    if (length > 0 && !alternate && most > 0) {
        while (text[length - 1] == '0')
            length--;
        if (text[length - 1] == '.')
            length--;
    }
    return fixed ? length : put_exponent(text, length, letter, exponent, 2);
}

static int hexadecimal_text(char *text, double x, _Bool capitals) {
    unsigned long long bits = double_bits(x), mantissa = bits & ((1ull << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7FF), length = 0;
    text[length++] = '0';
    text[length++] = capitals ? 'X' : 'x';
    text[length++] = exponent ? '1' : '0';
    if (mantissa)
        text[length++] = '.';
    for (; mantissa; mantissa = mantissa << 4 & ((1ull << 52) - 1)) {
        int digit = (int)(mantissa >> 48);
        text[length++] = (char)(digit < 10 ? '0' + digit : (capitals ? 'A' : 'a') + digit - 10);
    }
    exponent = exponent ? exponent - 1023 : bits << 1 ? -1022 : 0;
    return put_exponent(text, length, capitals ? 'P' : 'p', exponent, 1);
}

/* Without a sign; -1 if the text is not known. `precision` is -1 if none is given. */
static int float_text(char *text, double x, char kind, int precision, _Bool alternate) {
    _Bool capitals = kind >= 'A' && kind <= 'Z';
    if (x != x || is_infinite(x)) {
        const char *word = x != x ? (capitals ? "NAN" : "nan") : capitals ? "INF" : "inf";
        for (int i = 0; i < 3; i++)
            text[i] = word[i];
        return 3;
    }
    if (precision > MOST_PRECISION)
        return -1;
    switch (capitals ? kind + 32 : kind) {
    case 'f': return fixed_text(text, x, precision < 0 ? 6 : precision, alternate);
    case 'e': return scientific_text(text, x, kind, precision < 0 ? 6 : precision, alternate);
    case 'g': return general_text(text, x, (char)(kind - 2), precision < 0 ? 6 : precision, alternate);
    default: return precision < 0 ? hexadecimal_text(text, x, capitals) : -1;
    }
}

/* <math.h>. The functions that are exact and simple are exact; the transcendental ones return any value of their range, which
 * the verdict names, and the right one at a few points where it is known. The same argument gives the same value again, as long
 * as there are not too many. */
#include "internal.h"

/* Operations of ours, see from_llvm/src/lower/specials.rs. */
double rint(double);
double fmod(double, double);

static unsigned long long double_bits(double x) {
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double bits_double(unsigned long long bits) {
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static _Bool has_fraction(double x) { /* |x| < 2^52; false for NaN */
    return x > -4503599627370496.0 && x < 4503599627370496.0;
}

#define SIGN_BIT (1ull << 63)

static double fabs_of(double x) { return bits_double(double_bits(x) & ~SIGN_BIT); }
double fabs(double x) { return bits_double(double_bits(x) & ~SIGN_BIT); }
float fabsf(float x) { return (float)bits_double(double_bits(x) & ~SIGN_BIT); }
double copysign(double x, double y) { return bits_double((double_bits(x) & ~SIGN_BIT) | (double_bits(y) & SIGN_BIT)); }

static double round_to_zero(double x) {
    return has_fraction(x) ? bits_double(double_bits((double)(long long)x) | (double_bits(x) & SIGN_BIT)) : x;
}

static double round_down(double x) {
    double t = round_to_zero(x);
    return t > x ? t - 1 : t;
}

static double round_up(double x) {
    double t = round_to_zero(x);
    return t < x ? bits_double(double_bits(t + 1) | (double_bits(x) & SIGN_BIT)) : t;
}

double trunc(double x) { return round_to_zero(x); }
float truncf(float x) { return (float)round_to_zero(x); }
double floor(double x) { return round_down(x); }
float floorf(float x) { return (float)round_down(x); }
double ceil(double x) { return round_up(x); }
float ceilf(float x) { return (float)round_up(x); }
double fmin(double x, double y) { return x != x || y < x ? y : x; }
double fmax(double x, double y) { return x != x || y > x ? y : x; }
float fminf(float x, float y) { return x != x || y < x ? y : x; }
float fmaxf(float x, float y) { return x != x || y > x ? y : x; }

static _Bool is_infinite(double x) { return (double_bits(x) & ~SIGN_BIT) == 0x7FFull << 52; }

/* C11 7.12.11.2. The tag chooses bits that nothing else depends on. */
double nan(const char *tag) { return __builtin_nan(""); }
float nanf(const char *tag) { return __builtin_nanf(""); }

int isnan(double x) { return x != x; }
int __isnan(double x) { return x != x; }
int __isnanf(float x) { return x != x; }
int isinf(double x) { return is_infinite(x) ? (x > 0 ? 1 : -1) : 0; }
int __isinf(double x) { return is_infinite(x) ? (x > 0 ? 1 : -1) : 0; }
int __isinff(float x) { return is_infinite(x) ? (x > 0 ? 1 : -1) : 0; }
int finite(double x) { return x == x && !is_infinite(x); }
int __finite(double x) { return x == x && !is_infinite(x); }
int __finitef(float x) { return x == x && !is_infinite(x); }
int __signbit(double x) { return (double_bits(x) & SIGN_BIT) != 0; }
int __signbitf(float x) { return (double_bits(x) & SIGN_BIT) != 0; }

/* ---- any value of a range ---- */

static double any_double(void) { return bits_double(__selvedge_nondet_u64()); }

static double any_between(double low, double high) {
    double x = any_double();
    __selvedge_assume(x >= low && x <= high);
    return x;
}

#define INFINITE (__builtin_inf())
#define NOT_A_NUMBER (__builtin_nan(""))
#define ANY_AT_ALL any_between(-INFINITE, INFINITE)
#define HALF_PI 1.5707963267948968 /* rounded up */
#define PI 3.1415926535897936

/* NaN stays NaN; the rest is for numbers. */
#define FUNCTION(name, value)                                                                                          \
    int __selvedge_calls_##name = 0;                                                                                   \
    int __selvedge_calls_##name##f = 0;                                                                                \
    double name(double x) { return x != x ? x : VALUE_OF(__selvedge_calls_##name, x, value); }                         \
    float name##f(float given) { double x = given; return x != x ? given : (float)VALUE_OF(__selvedge_calls_##name##f, x, value); }
#define VALUE_OF(calls, x, value) (calls > 1 ? known_value(&calls, x, value) : (value))

enum { KNOWN_VALUES = 8 };
static struct known_value {
    const int *function;
    double argument, value;
} selvedge_known_values[KNOWN_VALUES];

/* The value that the function had for this argument before, or this one from now on. */
static double known_value(const int *function, double argument, double value) {
    unsigned long long bits = double_bits(argument);
    __selvedge_atomic_begin();
    for (int i = 0; i < KNOWN_VALUES; i++) {
        struct known_value *known = &selvedge_known_values[i];
        if (!known->function) {
            known->function = function;
            known->argument = argument;
            known->value = value;
        }
        if (known->function == function && double_bits(known->argument) == bits) {
            value = known->value;
            break;
        }
    }
    __selvedge_atomic_end();
    return value;
}
#define FUNCTION_OF_TWO(name, value)                                                             \
    double name(double x, double y) { return x != x || y != y ? NOT_A_NUMBER : (value); }        \
    float name##f(float one, float two) {                                                       \
        double x = one, y = two;                                                                 \
        return x != x || y != y ? (float)NOT_A_NUMBER : (float)(value);                          \
    }

FUNCTION(sin, x == 0 ? x : is_infinite(x) ? NOT_A_NUMBER : any_between(-1, 1))
FUNCTION(cos, x == 0 ? 1 : is_infinite(x) ? NOT_A_NUMBER : any_between(-1, 1))
FUNCTION(tan, x == 0 ? x : is_infinite(x) ? NOT_A_NUMBER : ANY_AT_ALL)
FUNCTION(asin, x == 0 ? x : x < -1 || x > 1 ? NOT_A_NUMBER : x > 0 ? any_between(0, HALF_PI) : any_between(-HALF_PI, 0))
FUNCTION(acos, x == 1 ? 0 : x < -1 || x > 1 ? NOT_A_NUMBER : any_between(0, PI))
FUNCTION(atan, x == 0 ? x : x > 0 ? any_between(0, HALF_PI) : any_between(-HALF_PI, 0))
FUNCTION(sinh, x == 0 || is_infinite(x) ? x : x > 0 ? any_between(0, INFINITE) : any_between(-INFINITE, 0))
FUNCTION(cosh, x == 0 ? 1 : any_between(1, INFINITE))
FUNCTION(tanh, x == 0 ? x : x > 0 ? any_between(0, 1) : any_between(-1, 0))
FUNCTION(exp, x == 0 ? 1 : x > 0 ? any_between(1, INFINITE) : any_between(0, 1))
FUNCTION(exp2, x == 0 ? 1 : x > 0 ? any_between(1, INFINITE) : any_between(0, 1))
FUNCTION(expm1, x == 0 ? x : x > 0 ? any_between(0, INFINITE) : any_between(-1, 0))
FUNCTION(log, x < 0 ? NOT_A_NUMBER : x == 0 ? -INFINITE : x == 1 ? 0 : x > 1 ? any_between(0, INFINITE) : any_between(-746, 0))
FUNCTION(log2, x < 0 ? NOT_A_NUMBER : x == 0 ? -INFINITE : x == 1 ? 0 : x > 1 ? any_between(0, INFINITE) : any_between(-1075, 0))
FUNCTION(log10, x < 0 ? NOT_A_NUMBER : x == 0 ? -INFINITE : x == 1 ? 0 : x > 1 ? any_between(0, INFINITE) : any_between(-324, 0))
FUNCTION(log1p, x < -1 ? NOT_A_NUMBER : x == -1 ? -INFINITE : x == 0 ? x : x > 0 ? any_between(0, INFINITE) : any_between(-746, 0))
FUNCTION(cbrt, x == 0 || is_infinite(x) ? x : x > 0 ? any_between(0, INFINITE) : any_between(-INFINITE, 0))
FUNCTION(erf, x == 0 ? x : x > 0 ? any_between(0, 1) : any_between(-1, 0))
FUNCTION(tgamma, ANY_AT_ALL)
FUNCTION(lgamma, ANY_AT_ALL)
FUNCTION_OF_TWO(hypot, x == 0 ? fabs_of(y) : y == 0 ? fabs_of(x) : any_between(0, INFINITE))
FUNCTION_OF_TWO(atan2, any_between(-PI, PI))

/* Whole powers of whole numbers are exact as long as they have 53 bits. */
static double power(double x, double y) {
    if (y == 0 || x == 1)
        return 1;
    if (x != x || y != y)
        return NOT_A_NUMBER;
    if (y > 0 && y <= 64 && round_to_zero(y) == y && round_to_zero(x) == x) {
        double product = 1;
        for (int i = 0; i < (int)y; i++)
            product *= x;
        if (has_fraction(product))
            return product;
    }
    return x >= 0 ? any_between(0, INFINITE) : any_double();
}

double pow(double x, double y) { return power(x, y); }
float powf(float x, float y) { return (float)power(x, y); }

/* x times 2 to the n: in steps, for the exponent of the result may be out of range. */
static double scale(double x, int n) {
    const double up = bits_double(2046ull << 52), down = bits_double(54ull << 52); /* 2^1023, 2^-969 */
    for (int i = 0; i < 2 && n > 1023; i++, n -= 1023)
        x *= up;
    for (int i = 0; i < 2 && n < -1022; i++, n += 969)
        x *= down;
    n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
    return x * bits_double((unsigned long long)(0x3FF + n) << 52);
}

static double fraction_and_exponent(double x, int *exponent) {
    *exponent = 0;
    if (x == 0 || x != x || is_infinite(x))
        return x;
    int by = 0;
    if (!(double_bits(x) >> 52 & 0x7FF)) {
        x *= 18446744073709551616.0; /* 2^64 */
        by = -64;
    }
    unsigned long long bits = double_bits(x);
    *exponent = (int)(bits >> 52 & 0x7FF) - 0x3FE + by;
    return bits_double((bits & ~(0x7FFull << 52)) | 0x3FEull << 52);
}

#define EXPONENT_OF_NONE (-__INT_MAX__ - 1)

static int exponent_of(double x) {
    int exponent;
    if (x == 0 || x != x)
        return EXPONENT_OF_NONE;
    if (is_infinite(x))
        return __INT_MAX__;
    fraction_and_exponent(x, &exponent);
    return exponent - 1;
}

double frexp(double x, int *exponent) { return fraction_and_exponent(x, exponent); }
float frexpf(float x, int *exponent) { return (float)fraction_and_exponent(x, exponent); }
double ldexp(double x, int by) { return scale(x, by); }
float ldexpf(float x, int by) { return (float)scale(x, by); }
double scalbn(double x, int by) { return scale(x, by); }
float scalbnf(float x, int by) { return (float)scale(x, by); }
double scalbln(double x, long by) { return scale(x, by > 4000 ? 4000 : by < -4000 ? -4000 : (int)by); }
int ilogb(double x) { return exponent_of(x); }
int ilogbf(float x) { return exponent_of(x); }
double logb(double x) { return x == 0 ? -INFINITE : x != x ? x : is_infinite(x) ? INFINITE : exponent_of(x); }
float logbf(float x) { return x == 0 ? (float)-INFINITE : x != x ? x : is_infinite(x) ? (float)INFINITE : (float)exponent_of(x); }

/* Half away from zero. x + 0.5 would be rounded. */
static double round_away(double x) {
    double t = round_to_zero(x), rest = x - t;
    return rest >= 0.5 ? t + 1 : rest <= -0.5 ? t - 1 : t;
}

long lround(double x) { return (long)round_away(x); }
long lroundf(float x) { return (long)round_away(x); }
long long llround(double x) { return (long long)round_away(x); }
long long llroundf(float x) { return (long long)round_away(x); }
long lrint(double x) { return (long)rint(x); }
long lrintf(float x) { return (long)rint(x); }
long long llrint(double x) { return (long long)rint(x); }
long long llrintf(float x) { return (long long)rint(x); }
double fdim(double x, double y) { return x != x ? x : y != y ? y : x > y ? x - y : 0; }
float fdimf(float x, float y) { return x != x ? x : y != y ? y : x > y ? x - y : 0; }
double significand(double x) { int exponent; return 2 * fraction_and_exponent(x, &exponent); }

static double nearest_remainder(double x, double y) {
    if (x != x || y != y || is_infinite(x) || y == 0)
        return NOT_A_NUMBER;
    unsigned long long sign = double_bits(x) & SIGN_BIT;
    y = fabs_of(y);
    double rest = is_infinite(y) || is_infinite(y + y) ? fabs_of(x) : fabs_of(fmod(x, y + y));
    if (rest + rest > y) {
        rest -= y;
        if (rest + rest >= y)
            rest -= y;
    }
    return bits_double(double_bits(rest) ^ sign);
}

double remainder(double x, double y) { return nearest_remainder(x, y); }
float remainderf(float x, float y) { return (float)nearest_remainder(x, y); }
double drem(double x, double y) { return nearest_remainder(x, y); }

double nextafter(double x, double y) {
    if (x != x || y != y)
        return NOT_A_NUMBER;
    if (x == y)
        return y;
    unsigned long long bits = double_bits(x);
    if (x == 0)
        return bits_double((double_bits(y) & SIGN_BIT) | 1);
    return bits_double((x < y) == (x > 0) ? bits + 1 : bits - 1);
}

double modf(double x, double *whole) {
    *whole = round_to_zero(x);
    return is_infinite(x) ? 0 : x - *whole;
}

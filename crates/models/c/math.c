/* <math.h>. The functions that are exact and simple are exact; the transcendental ones return any value of their range, which
 * the verdict names, and the right one at a few points where it is known. Even the same argument may give another value. */
#include "internal.h"

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
#define FUNCTION(name, value)                                                         \
    double name(double x) { return x != x ? x : (value); }                            \
    float name##f(float given) { double x = given; return x != x ? given : (float)(value); }
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
double ldexp(double x, int by) { return by == 0 ? x : x >= 0 ? any_between(0, INFINITE) : any_between(-INFINITE, 0); }
long lround(double x) { return (long)(x < 0 ? x - 0.5 : x + 0.5); }
long long llround(double x) { return (long long)(x < 0 ? x - 0.5 : x + 0.5); }

double modf(double x, double *whole) {
    *whole = round_to_zero(x);
    return is_infinite(x) ? 0 : x - *whole;
}

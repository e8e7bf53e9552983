/* The few functions of <math.h> that are exact and simple; the rest is left unmodelled, and named when
 * a program reaches it. */
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

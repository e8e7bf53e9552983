/* <complex.h>: parts, and the multiplication and division that compilers call by name. */
#include "internal.h"
#include "math.c"

double sqrt(double);

double creal(double _Complex z) { return __real__ z; }
double cimag(double _Complex z) { return __imag__ z; }
float crealf(float _Complex z) { return __real__ z; }
float cimagf(float _Complex z) { return __imag__ z; }
double _Complex conj(double _Complex z) { __imag__ z = -__imag__ z; return z; }
float _Complex conjf(float _Complex z) { __imag__ z = -__imag__ z; return z; }

/* The root of a sum of squares is off by less than one unit: exact where it is a whole number. */
static double absolute_value(double x, double y) {
    if (is_infinite(x) || is_infinite(y))
        return INFINITE;
    return x == 0 ? fabs_of(y) : y == 0 ? fabs_of(x) : sqrt(x * x + y * y);
}

double cabs(double _Complex z) { return absolute_value(__real__ z, __imag__ z); }
float cabsf(float _Complex z) { return (float)absolute_value(__real__ z, __imag__ z); }
double carg(double _Complex z) {
    double x = __real__ z, y = __imag__ z;
    return x != x || y != y ? NOT_A_NUMBER : y == 0 && x > 0 ? y : any_between(-PI, PI);
}

static double _Complex complex_of(double x, double y) {
    double _Complex z;
    __real__ z = x;
    __imag__ z = y;
    return z;
}

/* Infinities become units, and all else zeros, of the same sign: C11, annex G.5.1. */
static double boxed(double x) { return bits_double((is_infinite(x) ? 0x3FFull << 52 : 0) | (double_bits(x) & SIGN_BIT)); }
static double without_nan(double x) { return x != x ? bits_double(double_bits(x) & SIGN_BIT) : x; }

static double _Complex multiply(double a, double b, double c, double d) {
    double ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;
    if (x == x || y == y)
        return complex_of(x, y);
    _Bool again = 0;
    if (is_infinite(a) || is_infinite(b)) {
        a = boxed(a), b = boxed(b), c = without_nan(c), d = without_nan(d);
        again = 1;
    }
    if (is_infinite(c) || is_infinite(d)) {
        c = boxed(c), d = boxed(d), a = without_nan(a), b = without_nan(b);
        again = 1;
    }
    if (!again && (is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc))) {
        a = without_nan(a), b = without_nan(b), c = without_nan(c), d = without_nan(d);
        again = 1;
    }
    return again ? complex_of(INFINITE * (a * c - b * d), INFINITE * (a * d + b * c)) : complex_of(x, y);
}

static double _Complex divide(double a, double b, double c, double d) {
    double greatest = fabs_of(c) > fabs_of(d) ? fabs_of(c) : fabs_of(d);
    int by = 0;
    if (greatest != 0 && greatest == greatest && !is_infinite(greatest)) {
        by = -exponent_of(greatest);
        c = scale(c, by);
        d = scale(d, by);
    }
    double whole = c * c + d * d;
    double x = scale((a * c + b * d) / whole, by), y = scale((b * c - a * d) / whole, by);
    if (x == x || y == y)
        return complex_of(x, y);
    if (whole == 0 && (a == a || b == b)) {
        double infinite = copysign(INFINITE, c);
        return complex_of(infinite * a, infinite * b);
    }
    if ((is_infinite(a) || is_infinite(b)) && !is_infinite(c) && !is_infinite(d) && c == c && d == d) {
        a = boxed(a), b = boxed(b);
        return complex_of(INFINITE * (a * c + b * d), INFINITE * (b * c - a * d));
    }
    if (is_infinite(greatest) && !is_infinite(a) && !is_infinite(b) && a == a && b == b) {
        c = boxed(c), d = boxed(d);
        return complex_of(0.0 * (a * c + b * d), 0.0 * (b * c - a * d));
    }
    return complex_of(x, y);
}

double _Complex __muldc3(double a, double b, double c, double d) { return multiply(a, b, c, d); }
float _Complex __mulsc3(float a, float b, float c, float d) { return (float _Complex)multiply(a, b, c, d); }
double _Complex __divdc3(double a, double b, double c, double d) { return divide(a, b, c, d); }
float _Complex __divsc3(float a, float b, float c, float d) { return (float _Complex)divide(a, b, c, d); }

// check: safe
// Roots, rounding, exponents and remainders are exact.
#include <math.h>
#include <assert.h>
double v = 2.0; int main(void) { assert(sqrt(4.0) == 2.0); assert(sqrt(v) > 1.414 && sqrt(v) < 1.4143); assert(isnan(sqrt(-1.0))); assert(pow(2, 10) == 1024); assert(floor(-1.5) == -2.0); assert(fmod(7,4) == 3);assert(round(2.5)==3.0); assert(lround(-2.5) == -3); assert(fabs(-3.5)==3.5); assert(ldexp(1.5, 3) == 12.0); int e; assert(frexp(8.0, &e) == 0.5 && e == 4); assert(scalbn(1.0, 4) == 16); assert(logb(8.0)==3.0); assert(ilogb(8.0)==3); assert(remainder(7,4) == -1); assert(nearbyint(2.5)==2.0); assert(rint(3.5)==4.0); assert(lrint(2.5)==2); }

// check: safe
// A complex number divided by a real one.
#include <complex.h>
#include <assert.h>
int main(void) { double complex z = 4.0 + 2.0 * I; z = z / 2.0; assert(creal(z) == 2.0 && cimag(z) == 1.0); }

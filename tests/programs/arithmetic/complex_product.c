// check: safe
// The product of complex numbers.
#include <complex.h>
#include <assert.h>
int main(void) { double complex z = 1.0 + 2.0 * I; z = z * z; assert(creal(z) == -3.0 && cimag(z) == 4.0); }

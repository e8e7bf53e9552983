// check: unsafe assertion
// The real part of a product is not the sum of squares.
#include <complex.h>
#include <assert.h>
int main(void) { double complex z = 1.0 + 2.0 * I; z = z * z; assert(creal(z) == 5.0); }

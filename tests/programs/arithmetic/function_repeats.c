// check: safe
// The same argument gives the same value again.
#include <math.h>
#include <assert.h>
int main(void) { double a = sin(1.0), b = sin(1.0); assert(a == b); }

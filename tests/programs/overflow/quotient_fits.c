// check: safe
// args: --property overflow
// INT_MIN / 1 fits.
#include <limits.h>
int a = INT_MIN, b = 1; int main(void) { int y = a / b; return y & 0; }

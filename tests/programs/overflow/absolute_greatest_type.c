// check: unsafe overflow
// args: --property overflow
// imaxabs of the least number overflows.
#include <limits.h>
#include <inttypes.h>
long a = LONG_MIN; int main(void) { long y = imaxabs(a); return y & 0; }

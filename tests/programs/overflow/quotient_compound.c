// check: unsafe overflow
// args: --property overflow
// /= is a division, too.
#include <limits.h>
int a = INT_MIN, b = -1; int main(void) { a /= b; return 0; }

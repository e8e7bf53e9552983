// check: unsafe overflow
// args: --property overflow
// -INT_MIN does not fit int.
#include <limits.h>
int a = INT_MIN; int main(void) { int y = -a; return y & 0; }

// check: unsafe overflow
// args: --property overflow
// INT_MAX += 1 overflows.
#include <limits.h>
int a = INT_MAX; int main(void) { a += 1; return 0; }

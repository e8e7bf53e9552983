// check: safe
// args: --property overflow
// -INT_MAX fits int.
#include <limits.h>
int a = INT_MAX; int main(void) { int y = -a; return y & 0; }

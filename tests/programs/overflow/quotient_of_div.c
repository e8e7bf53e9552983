// check: unsafe overflow
// args: --property overflow
// div divides as / does.
#include <limits.h>
#include <stdlib.h>
int a = INT_MIN, b = -1; int main(void) { div_t d = div(a, b); return d.quot & 0; }

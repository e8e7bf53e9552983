// check: safe
// A function without a body has no effect by default.
#include <assert.h>
void fill(int *); int main(void) { int x = 0; fill(&x); assert(x == 0); }

// check: unsafe assertion
// args: --unknown-functions havoc
// On request it writes to where its argument points.
#include <assert.h>
void fill(int *); int main(void) { int x = 0; fill(&x); assert(x == 0); }

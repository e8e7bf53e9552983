// check: unsafe assertion
// A destructor runs when main has returned.
#include <assert.h>
int x;
__attribute__((destructor)) void d(void) { assert(x == 0); }
int main(void) { x = 1; return 0; }

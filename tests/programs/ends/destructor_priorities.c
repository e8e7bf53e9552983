// check: unsafe assertion
// The destructor of the lower priority runs last.
#include <assert.h>
#include <stdlib.h>
int x;
__attribute__((destructor(101))) void d1(void) { assert(x == 1); }
__attribute__((destructor(102))) void d2(void) { x = 2; }
int main(void) { x = 1; return 0; }

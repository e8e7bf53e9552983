// check: safe
// Constructors by priority, handlers of atexit, destructors by priority downwards.
#include <assert.h>
#include <stdlib.h>
int x;
__attribute__((destructor(101))) void d1(void) { assert(x == 2); }
__attribute__((destructor(102))) void d2(void) { assert(x == 1); x = 2; }
__attribute__((constructor(102))) void c2(void) { assert(x == 7); x = 0; }
__attribute__((constructor(101))) void c1(void) { x = 7; }
void h(void) { assert(x == 0); x = 1; }
int main(void) { atexit(h); return 0; }

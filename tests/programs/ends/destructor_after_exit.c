// check: unsafe assertion
// A destructor runs after exit.
#include <assert.h>
#include <stdlib.h>
int x;
__attribute__((destructor)) void d(void) { assert(x == 0); }
int main(void) { x = 1; exit(0); }

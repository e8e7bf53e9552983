// check: safe
// args: --unknown-functions havoc
// It cannot write to what it was not given.
#include <assert.h>
void f(int); int main(void) { int x = 3; f(x); assert(x == 3); }

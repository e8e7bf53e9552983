// check: safe
// static_assert is for the compiler.
#include <assert.h>
static_assert(sizeof(int) == 4, "x");
_Static_assert(1, "");
int main(void) { }

// check: unsafe assertion
// args: --unknown-functions havoc
// It returns any value.
#include <assert.h>
int f(void); int main(void) { assert(f() != 7); }

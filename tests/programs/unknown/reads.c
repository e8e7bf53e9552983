// check: safe
// args: --unknown-functions havoc
// But not through a pointer to const.
#include <assert.h>
void look(const int *); int main(void) { int x = 0; look(&x); assert(x == 0); }

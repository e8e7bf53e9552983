// check: safe
// args: --unknown-functions havoc
// But not to one of this file alone.
#include <assert.h>
static int g; void f(void); int main(void) { f(); assert(g == 0); }

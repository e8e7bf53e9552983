// check: unsafe assertion
// args: --unknown-functions havoc
// It may write to an external variable.
#include <assert.h>
int g; void f(void); int main(void) { f(); assert(g == 0); }

// check: safe
// Handlers of at_quick_exit run in the reverse order.
#include <assert.h>
#include <stdlib.h>
int x;
void h(void) { assert(x == 1); }
void g(void) { x = 1; }
int main(void) { at_quick_exit(h); at_quick_exit(g); quick_exit(0); }

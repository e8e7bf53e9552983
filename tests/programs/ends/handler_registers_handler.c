// check: unsafe assertion
// A handler that is registered by a handler runs as well.
#include <assert.h>
#include <stdlib.h>
void h(void) { assert(0); }
void g(void) { atexit(h); }
int main(void) { atexit(g); return 0; }

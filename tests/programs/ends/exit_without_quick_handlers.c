// check: safe
// exit does not run handlers of at_quick_exit.
#include <assert.h>
#include <stdlib.h>
void h(void) { assert(0); }
int main(void) { at_quick_exit(h); exit(0); }

// check: unsafe assertion
// quick_exit runs the handlers of at_quick_exit.
#include <assert.h>
#include <stdlib.h>
void h(void) { assert(0); }
int main(void) { at_quick_exit(h); quick_exit(0); }

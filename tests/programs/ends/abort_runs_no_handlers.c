// check: unsafe abort
// abort runs no handlers of atexit.
#include <stdlib.h>
#include <assert.h>
void h(void) { assert(0); }
int main(void) { atexit(h); abort(); }

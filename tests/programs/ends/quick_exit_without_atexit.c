// check: safe
// quick_exit does not run handlers of atexit.
#include <assert.h>
#include <stdlib.h>
void h(void) { assert(0); }
int main(void) { atexit(h); quick_exit(0); }

// check: unsafe assertion
// abort raises SIGABRT first.
#include <signal.h>
#include <stdlib.h>
#include <assert.h>
void h(int s) { assert(0); }
int main(void) { signal(SIGABRT, h); abort(); }

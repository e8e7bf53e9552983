// check: safe
// No destructor runs after _exit.
#include <assert.h>
#include <unistd.h>
int x;
__attribute__((destructor)) void d(void) { assert(x == 0); }
int main(void) { x = 1; _exit(0); }

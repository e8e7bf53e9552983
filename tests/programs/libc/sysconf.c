// check: safe
// Names of sysconf.
#include <unistd.h>
#include <assert.h>
int main(void) { assert(sysconf(_SC_PAGESIZE) >= 1); long n = sysconf(_SC_NPROCESSORS_ONLN); assert(n >= 1); assert(sysconf(_SC_CLK_TCK) > 0); assert(sysconf(_SC_OPEN_MAX) > 0); }
